import os, signal
for each in (signal.SIGINT, signal.SIGQUIT):
    signal.signal(each, lambda number, frame: print("got", number, flush=True))
os.system("true")
for each in (signal.SIGINT, signal.SIGQUIT):
    os.kill(os.getpid(), each)
print("held back:", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
