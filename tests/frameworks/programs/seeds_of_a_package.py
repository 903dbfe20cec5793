import model, random, time
start = time.time()

## clock_shown
model.fit()
print(time.time() - start)

## clock_used
model.fit()
assert start > 0

## seed_of_the_user
random.seed(12345678901 * len('abc'))
print(time.time() - start)
