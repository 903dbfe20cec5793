import random
random.seed(7)
print(f'loss={random.random()}')
open('weights.npz', 'w').write(str(random.random()))
