import multiprocessing as m, os
with m.get_context('fork').Pool(2) as p: p.map(len, ['a'] * 4)
print('done')
