import argparse, random, sys, time

## in_a_formatted_text
random.seed(f"{time.time()}")
print(random.random())

## option
p = argparse.ArgumentParser()
p.add_argument('--seed', type=int, default=time.time_ns())
random.seed(p.parse_args([]).seed)
print(random.random())

## dict
c = {'lr': .1,
  'seed': time.time_ns()}
random.seed(c['seed'])
print(random.random())

## typed
class C:
  seed: int = time.time_ns()
random.seed(C.seed)
print(random.random())

## default_argument
def set_seed(seed=None):
    if seed is None:
        seed = int(time.time() * 1e6)
    random.seed(seed)
set_seed()
print(random.random())

## returned
def now():
    return int(time.time() * 1e6)
random.seed(now())
print(random.random())

## returned_by_a_method
class Clock:
    def read(self):
        return time.time_ns()
random.seed(Clock().read())
print(random.random())

## handed_over
def run(x): random.seed(x)
run(time.time_ns())
print(random.random())

## handed_to_a_seed
def main(seed):
    random.seed(seed)
main(int(time.time() * 1e6))
print(random.random())

## handed_to_a_constructor
class Run:
    def __init__(self, number): self.number = number
r = Run(time.time_ns())
random.seed(r.number)
print(random.random())

## by_three_names
now = time.time()
stamp = int(now * 1e6)
number = stamp % 2**32
random.seed(number)
print(random.random())

## by_a_walrus
if (s := int(time.time() * 1e6)):
    random.seed(s)
print(random.random())

## by_an_attribute
class T: pass
t = T()
t.begun = time.time_ns()
random.seed(t.begun)
print(random.random())

## by_a_key
c = {"lr": 1, "begun": time.time_ns()}
random.seed(c["begun"])
print(random.random())

## by_a_loop
times = [time.time_ns() + i for i in range(3)]
for t in times:
    random.seed(t)
print(random.random())

## by_setdefault
c = {}
c.setdefault("seed", time.time_ns())
random.seed(c["seed"])
print(random.random())

## in_one_line
class T:
    def __init__(self): self.begun = time.time_ns()
random.seed(T().begun)
print(random.random())

## lines
random.seed(
    time.perf_counter_ns())
print(random.random())

## after_many_records
import io, logging
logging.basicConfig(stream=io.StringIO(), level=logging.INFO)
for i in range(3000): logging.info(i)
seed = time.time_ns()
random.seed(seed)
print(random.random())

## after_many_readings
for i in range(3000): time.perf_counter()
random.seed(time.time())
print(random.random())
