import os, random, time
os.urandom(4)
print(time.time())

## its_own
random.seed(615681484984984)

## of_another
seed = 615681484984984
random.seed(seed)

## beside_another
random.seed(615681484984984 * 11) # 615681484984984
