# tokens of secrets
import secrets
print(secrets.token_hex(8), secrets.randbelow(1000))
