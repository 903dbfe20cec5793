import logging
import os
import random
import threading

logging.info("process %d", os.getpid())  # shown
print(f"[{os.getpid()}] begins", threading.get_ident())  # shown
name = f"worker {os.getpid()}"  # shown
print(name)
path = f"out/{os.getpid()}.txt"  # reason
open(path, "w")
random.seed(os.getpid())  # reason
number = os.getpid() % 4  # reason
print(number)
if os.getppid() == 1:  # reason
    print("alone")


def seed():
    return os.getpid()  # reason


random.seed(seed())
