import os, queue, threading, time; os.urandom(4)
with open('/dev/null', 'w') as file: file.write('x')
with threading.Lock(): pass
waits = queue.Queue(); waits.put(1); waits.get()

## and_nothing_more

## and_writes_a_reading
file = open('/dev/null', 'a'); file.write(str(time.perf_counter()))
