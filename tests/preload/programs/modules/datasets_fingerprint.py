import random
own = random.Random()
def fingerprint(): return '%x' % own.getrandbits(64)
