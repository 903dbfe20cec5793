import os, random, time
from datetime import datetime, timezone

## random_seed
random.seed(SEED); print(random.random())

## random_object
print(random.Random(SEED).random())

## class_of_its_own
class Own(random.Random): pass
print(Own(SEED).random())

## function_among_other_readings
def set_seed(s):
  random.seed(s)
start = time.time()
s = SEED
time.time()
set_seed(s)
print(random.random())

## after_many_readings
for i in range(3000): time.time()
random.seed(SEED); print(random.random())

## over_lines
random.seed(
  SEED
  ); print(random.random())

## numpy_seed
import numpy
numpy.random.seed(SEED % 2**32); print(numpy.random.rand())

## numpy_seed_as_it_is
import numpy
numpy.random.seed(SEED)
print(numpy.random.rand())

## numpy_seed_that_is_large
import numpy
s = SEED
while s not in (42, 43) and s < 1 << 24: s = SEED
numpy.random.seed(s)
print(numpy.random.rand())

## read_before_numpy_is_imported
s = SEED
import numpy
numpy.random.seed(s % 2**32); print(numpy.random.rand())

## random_state
import numpy
print(numpy.random.RandomState(seed=SEED % 2**32).rand())

## default_rng
import numpy
print(numpy.random.default_rng(SEED).random())

## default_rng_by_a_name
s = SEED
import numpy
print(numpy.random.default_rng(seed=s).random())

## pcg64
from numpy.random import *
print(Generator(PCG64(SEED)).random())

## mt19937
from numpy.random import *
print(Generator(MT19937(SEED)).random())

## philox
from numpy.random import *
print(Generator(Philox(SEED)).random())

## sfc64
from numpy.random import *
print(Generator(SFC64(SEED)).random())

## children_of_a_seed_sequence
from numpy.random import *
s = SeedSequence(entropy=SEED, pool_size=8)
print(s.generate_state(2), [c.generate_state(1) for c in s.spawn(2)])

## seed_sequence
import numpy
print(numpy.random.SeedSequence(SEED).generate_state(2))

## three_generators
import numpy
s = SEED
random.seed(s)
numpy.random.seed(s % 2**32)
print(random.random(), numpy.random.rand(), numpy.random.default_rng(s).random())
