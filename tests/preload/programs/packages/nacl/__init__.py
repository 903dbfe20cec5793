"""Draws as the package of that name does."""

import os
import random
import secrets


def by_urandom():
    return os.urandom(16).hex()


def by_secrets():
    return secrets.token_hex(16)


def by_system_random():
    return "%x" % random.SystemRandom().getrandbits(128)


def by_getrandom():
    return os.getrandom(16).hex()


def by_device():
    with open("/dev/urandom", "rb") as device:
        return device.read(16).hex()


def by_generator():
    return next(os.urandom(16).hex() for _ in range(1))
