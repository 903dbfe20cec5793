import random, time

## nanoseconds
random.seed(time.time_ns())

## seconds
random.seed(time.time())
print(random.random())

## over_lines
random.seed(
    time.time_ns())

## generator
print(random.Random(time.time()).random())

## loop
for i in range(40): random.seed(time.time_ns())

## function
def main():
  random.seed(time.time_ns())
main()
main()
