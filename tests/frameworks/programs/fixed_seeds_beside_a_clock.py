import random, time

## before
t = time.time(); random.seed(20260101); print(random.random())

## behind
random.seed(20260101); t = time.time_ns(); print(random.random())

## condition
t = time.time_ns(); random.seed(7 if t else 8); print(random.random())

## among_others
print([random.Random(s).random() for s in (1, time.time() and 1 << 40, 3)][0])

## argument_that_is_not_used
def seed(s): random.seed(1 << 40)
seed(hash(time.time())); print(random.random())

## loop
for i in range(3): t = time.time(); random.seed(i << 30); print(random.random())
