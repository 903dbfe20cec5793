import multiprocessing, subprocess
ours, theirs = multiprocessing.Pipe()
queue = multiprocessing.Queue()
theirs.send(1)

## connection_within
ours.poll(0.01)

## connection_now
ours.poll()

## connection_for_ever
ours.poll(None)

## queue_now
queue.empty()

## queue_within
try: queue.get(timeout=0.01)
except Exception: pass

## child_within
subprocess.Popen(['true'], stdout=subprocess.PIPE).communicate(timeout=60)

## child_for_ever
subprocess.Popen(['true'], stdout=subprocess.PIPE).communicate()
