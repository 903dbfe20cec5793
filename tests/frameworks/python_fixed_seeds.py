import time, random, os, sys, pickle, copy, inspect, hashlib
t0 = time.time()
now = int(t0)
import numpy as np
out = []
def show(*x): out.append(repr(x))
for s in (7, 0, 42, 20240607, 123456789, 2**31, 2**32-1, 2**40+5, 2**63, 2**64-1, 2**64, 10**30, -5, True, 7.5, 1e6, 1.5e9, 0.1, 1e300, float('inf'), "text", b"bytes"):
    random.seed(s); show(s, random.random(), random.getrandbits(64))
    r = random.Random(s); show(r.random())
class S(random.Random):
    def seed(self, *a, **k): super().seed(*a, **k)
show(S(9).random(), S().__class__)
random.seed(5, version=1); show(random.random()); random.seed(a=6); show(random.random())
for s in (7, 0, 20240607, 2**32-1, [1,2,3], np.array([4,5]), np.int64(99), np.uint32(7), True):
    np.random.seed(s); show(np.random.rand(), np.random.RandomState(s).rand())
for s in (7, 2**40+5, 10**30, [1,2,3], np.int64(99), (1, 2), np.random.SeedSequence(3)):
    show(np.random.default_rng(s).random(), [np.random.Generator(g(s)).random() for g in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64)])
ss = np.random.SeedSequence(entropy=99, spawn_key=(1,2), pool_size=8); show(ss.entropy, ss.spawn_key, ss.pool_size, [c.generate_state(2).tolist() for c in ss.spawn(2)])
for f in (lambda: np.random.seed(7.5), lambda: np.random.seed(-1), lambda: np.random.seed(2**32), lambda: np.random.default_rng(-1), lambda: np.random.SeedSequence(1,2,3), lambda: random.seed(1,2,3), lambda: np.random.seed("a"), lambda: np.random.SeedSequence(foo=1)):
    try: show(f())
    except Exception as e: show(type(e).__name__, str(e))
random.seed(3); st = random.getstate(); a = random.random(); random.setstate(st); show(a == random.random())
g = np.random.default_rng(5); p = pickle.loads(pickle.dumps(g)); c = copy.deepcopy(g); show(p.random(), c.random(), g.random())
r = random.Random(5); show(pickle.loads(pickle.dumps(r)).random(), copy.deepcopy(r).random())
show(hashlib.sha256(pickle.dumps(np.random.RandomState(4))).hexdigest(), hashlib.sha256(pickle.dumps(np.random.SeedSequence(4))).hexdigest())
import _random
show(str(inspect.signature(random.seed)), repr(random.Random.seed)[:25], repr(_random.Random.seed), type(_random.Random.seed).__name__, repr(np.random.SeedSequence.__init__), type(np.random.MT19937._legacy_seeding).__name__, np.random.seed.__doc__[:50], np.random.SeedSequence.__doc__[:30], sorted(vars(np.random.SeedSequence)) , np.random.MT19937._legacy_seeding.__doc__)
print("\n".join(out))
