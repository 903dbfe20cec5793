# a key of OpenSSL: stays random on purpose
import ssl
print(ssl.RAND_bytes(8).hex())
