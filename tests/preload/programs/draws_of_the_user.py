## mkdtemp
d = tempfile.mkdtemp()
print(d)
os.rmdir(d)

## function
def make(): return [uuid.uuid4() for _ in range(2)]
print(make())

## class
class Row:
  def __init__(self): self.key = uuid.uuid4()
print(Row().key)

## dataclass
import dataclasses
@dataclasses.dataclass
class Row:
  key: uuid.UUID = dataclasses.field(default_factory=uuid.uuid4)
print(Row())

## called_back
import pydantic
print(pydantic.made(uuid.uuid4))

## thread
import threading
t = threading.Thread(target=lambda: print(uuid.uuid4()))
t.start()
t.join()

## pool_thread
from concurrent.futures import ThreadPoolExecutor
print(ThreadPoolExecutor(1).submit(uuid.uuid4).result())

## child
import subprocess
print(subprocess.run([sys.executable, '-c', 'import uuid; print(uuid.uuid4())'], capture_output=True).stdout)

## numpy
import numpy
print(numpy.random.default_rng().random())
