import os, random, clock_of_mine
os.urandom(1)
random.seed(clock_of_mine.read())
