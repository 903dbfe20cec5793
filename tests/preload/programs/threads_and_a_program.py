import threading, subprocess
t = [threading.Thread(target=print, args=('in a thread',)) for _ in range(3)]
for x in t: x.start(); x.join()
threading.Event().wait(0.001)
print(subprocess.run(['echo', 'hi'], capture_output=True).stdout)
