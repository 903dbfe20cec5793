import os, sys
os.urandom(4)
os.chdir(os.path.dirname(__file__))
path = 'site-packages/' + sys.argv[1]
os.makedirs(os.path.dirname(path))
with open(path, 'w') as module: module.write(sys.argv[2])
sys.path.append(os.path.abspath(os.path.dirname(path)))
