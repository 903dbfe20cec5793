## uuid4
name = namer.by_uuid4()
print('run', name)

## uuid1
name = namer.by_uuid1()
print(name[:8])

## upper
name = namer.by_token_hex()
print(name.upper())

## class
thing = namer.Thing()
print(vars(thing), flush=True)

## stderr
name = namer.by_uuid4()
print(name, file=sys.stderr)

## logging
name = namer.by_uuid4()
import logging
logging.warning('run %s', name)

## second
first = namer.by_uuid4()
print(namer.by_uuid4())

## thread
name = namer.by_uuid4()
import threading
t = threading.Thread(target=print, args=(name,))
t.start()
t.join()
