os.makedirs('site-packages/sklearn')
with open('site-packages/sklearn/forest.py', 'w') as module:
  module.write('from parallel import Parallel\n'
               'def predict(*how): Parallel(how[0])(how[1])\n')
sys.path.append(os.path.abspath('site-packages/sklearn'))
import forest
forest.predict(sys.argv[3] or None, int(sys.argv[4]))
