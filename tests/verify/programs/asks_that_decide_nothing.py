import os
os.urandom(2)

## versions
import importlib.metadata
list(importlib.metadata.distributions())
open('kept', 'w').close()

## copies
import shutil
open('a', 'w').close()
shutil.copyfile('a', 'b')
shutil.copy('a', 'c')
open('kept', 'w').close()
