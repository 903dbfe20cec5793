import random, time

## named_and_printed
random.seed(t := time.time()); print(t)

## printed_in_the_argument
random.seed(print(t := time.time()) or t)

## another_reading_printed_behind
random.seed(time.time_ns()); print(time.time())

## another_reading_printed_before
print(time.time()); random.seed(time.time_ns())

## another_reading_in_the_statement
print((random.seed(time.time_ns()), time.time()))

## lambda_that_prints
random.seed((lambda t: print(t) or t)(time.time()))

## call_between
random.seed(int(time.time_ns()))

## loop
for i in range(3): t = time.time(), random.seed(time.time_ns())

## name
t = time.time_ns()
random.seed(t)
