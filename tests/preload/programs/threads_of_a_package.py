os.chdir(os.path.dirname(__file__))
os.makedirs('site-packages')
with open('site-packages/helpers.py', 'w') as module:
  module.write('import threading\n'
               'waits = threading.Event()\n'
               'def go():\n'
               '  for i in range(2): threading.Thread(target=waits.wait).start()\n'
               '  waits.set()\n')
sys.path.append(os.path.abspath('site-packages'))
import helpers
helpers.go()
