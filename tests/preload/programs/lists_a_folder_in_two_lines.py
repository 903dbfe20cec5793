import os, random, sys
random.random()
for i in range(50): os.listdir(sys.argv[1])
os.listdir(sys.argv[1])
