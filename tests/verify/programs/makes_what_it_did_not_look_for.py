import os
from pathlib import Path
os.urandom(2)
os.path.exists('other')
open('kept', 'w').close()
