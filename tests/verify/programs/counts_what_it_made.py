import os
open('ck/mine', 'w').close()
os.urandom(2)
os.makedirs('ck', exist_ok=True)
n = len(os.listdir('ck'))
