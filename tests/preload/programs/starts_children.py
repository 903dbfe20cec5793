import os, subprocess

## popen
all = [subprocess.Popen(['true']) for i in range(2)]
for one in all: one.wait()

## posix_spawn
for i in range(2): os.posix_spawn('/bin/true', ['true'], os.environ)
os.wait(); os.wait()

## fork
for i in range(2):
  if os.fork() == 0: os._exit(0)
os.wait(); os.wait()

## run
for i in range(2): subprocess.run(['true'])

## waited_for_in_a_thread
import threading
for i in range(2):
  child = os.posix_spawn('/bin/true', ['true'], os.environ)
  one = threading.Thread(target=os.waitpid, args=(child, 0)); one.start(); one.join()

## fork_in_turn
for i in range(2):
  if os.fork() == 0: os._exit(0)
  os.wait()
