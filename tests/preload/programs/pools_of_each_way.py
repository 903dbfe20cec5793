import multiprocessing as m, os
for way in 'fork', 'spawn', 'forkserver':
  for i in range(2):
    with m.get_context(way).Pool(1) as pool:
      for drawn in pool.map(os.getrandom, 8 * [8]): print(drawn.hex())
