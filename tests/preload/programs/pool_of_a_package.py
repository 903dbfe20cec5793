  os.chdir(os.path.dirname(os.path.abspath(__file__)))
  os.makedirs('site-packages')
  with open('site-packages/helpers.py', 'w') as module:
    module.write('import multiprocessing, random\n'
                 'def task(i): return i, random.random()\n'
                 'def work():\n'
                 '  with multiprocessing.get_context("fork").Pool(2) as p:\n'
                 '    return p.map(task, range(9), 1)\n')
  sys.path.append(os.path.abspath('site-packages'))
  import helpers
  print(helpers.work())
