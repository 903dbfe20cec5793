import dataclasses, os, random, secrets, sys, tempfile, uuid

def by_uuid4(): return uuid.uuid4().hex
def say_name(): print(uuid.uuid4().hex, file=sys.stderr)
def by_uuid1(): return uuid.uuid1().hex
def by_token_hex(): return secrets.token_hex(8)
def by_token_bytes(): return secrets.token_bytes(8).hex()
def by_choice(): return ''.join(secrets.choice('0123456789abcdef') for _ in range(16))
def by_choices(): return ''.join(random.SystemRandom().choices('0123456789abcdef', k=16))
def by_nested(): return max(map(lambda _: str(uuid.uuid4()), range(3)))
def by_mkdtemp():
    folder = tempfile.mkdtemp()
    os.rmdir(folder)
    return os.path.basename(folder)
def by_file():
    with tempfile.NamedTemporaryFile() as file: return os.path.basename(file.name)

@dataclasses.dataclass
class Row:
    key: uuid.UUID = dataclasses.field(default_factory=uuid.uuid4)
def by_dataclass(): return Row().key.hex

class Thing:
    def __init__(self): self.key = uuid.uuid4().hex
def by_class(): return Thing().key

def own_urandom(): return os.urandom(8).hex()
def own_random(): return random.Random().random()
def own_global(): return random.random()
def own_randbits(): return secrets.randbits(64)
def own_below(): return secrets.randbelow(2 ** 60)
def own_choice(): return [secrets.choice(range(10 ** 6)) for _ in range(3)]
def own_sample(): return random.SystemRandom().sample(range(10 ** 9), 4)
def own_system_number(): return random.SystemRandom().random()
def own_numpy():
    import numpy
    return numpy.random.default_rng().random()
def own_numpy_legacy():
    import numpy
    return numpy.random.RandomState().rand()
def own_seeded_by_uuid():
    random.seed(uuid.uuid4().int)
    return random.random()
def own_seeded_by_token():
    return random.Random(int(secrets.token_hex(8), 16)).random()
def fresh_seed(): return uuid.uuid4().int
def own_fresh_seed(): return fresh_seed() % 2 ** 32
