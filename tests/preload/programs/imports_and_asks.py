import os, sys
sys.path.insert(0, 'lib/python3/site-packages')
import package
os.path.getmtime('/')
