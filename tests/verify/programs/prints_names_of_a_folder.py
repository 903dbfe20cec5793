import os, random, threading, time
random.random()
os.makedirs('d/a', exist_ok=True)
os.makedirs('d/b', exist_ok=True)
print(os.listdir('d'), time.time() > 0)
