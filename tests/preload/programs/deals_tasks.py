## fork
  with of('fork').Pool(3) as p: print(p.map(task, range(24), 1))

## spawn
  with of('spawn').Pool(3) as p: print(p.map(task, range(24), 1))

## forkserver
  with of('forkserver').Pool(3) as p: print(p.map(task, range(24), 1))

## unordered
  with of('fork').Pool(3) as p: print(list(p.imap_unordered(task, range(24))))

## callbacks
  came = []
  with of('fork').Pool(3) as p:
    all = [p.apply_async(task, (i,), callback=came.append) for i in range(24)]
    for one in all: one.wait()
  print(came)

## executor
  with ProcessPoolExecutor(3, of('fork')) as p: print(list(p.map(task, range(24))))

## two_pools
  with of('fork').Pool(2) as p, of('fork').Pool(3) as q:
    print(p.map(task, range(9), 1), q.map(task, range(9), 1), p.map(task, range(9), 1))

## joblib
  import joblib
  for i in range(2):
    print(joblib.Parallel(n_jobs=3)(joblib.delayed(task)(i) for i in range(40)))

## multiprocess
  from multiprocess import Pool
  with Pool(3) as p: print(p.map(task, range(24), 1))

## a_worker_dies
  with of('fork').Pool(2) as p:
    p.apply_async(die, (1,))
    print(len(p.map(task, range(12), 1)))

## workers_come_and_go
  with of('fork').Pool(2, maxtasksperchild=2) as p: print(len(p.map(task, range(12), 1)))

## spawned_executor
  with ProcessPoolExecutor(2, of('spawn')) as p: print(len(list(p.map(task, range(12)))))

## signals
  signal.signal(signal.SIGALRM, lambda *all: None)
  with of('fork').Pool(2, signal.setitimer, (signal.ITIMER_REAL, 0.001, 0.001)) as p:
    print(len(p.map(task, range(24), 1)))
