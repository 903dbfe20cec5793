"""Draws from everything that CPython offers, unseeded."""
import os, random, secrets, tempfile, uuid

print("random", random.random(), random.randrange(10**9), random.SystemRandom().random())
print("hash", hash("detshim"), hash(b"detshim"))
print("set", list({"train", "validate", "test", "loss", "step", "epoch"}))
print("uuid", uuid.uuid4())
print("secrets", secrets.token_hex(8), secrets.randbelow(10**9))
print("tempfile", next(tempfile._get_candidate_names()))
print("os", os.urandom(8).hex(), os.getrandom(8).hex())
with open("/dev/urandom", "rb") as device:
    print("device", device.read(8).hex())
