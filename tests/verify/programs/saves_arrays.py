import numpy as np, random
a = np.zeros((3, 4))
a[1, 2] = SEED
np.savez('out.npz', w=a)
np.save('out.npy', a)
print('done')
