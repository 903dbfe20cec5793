# /dev/urandom, read as a file
with open("/dev/urandom", "rb") as device:
    print(device.read(16).hex())
