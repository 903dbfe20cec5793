import pack, random, time

## function
print(pack.call(time.time))

## default_factory
from dataclasses import dataclass, field
@dataclass
class C:
  t: int = field(default_factory=time.time_ns)
print(C().t)

## code
exec('print(time.time())')

## package
print(pack.stamp())
