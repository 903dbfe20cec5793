import threading
def _worker(task): task()
class Pool:
  def __init__(self, name): self._thread_name_prefix = name
  def _adjust_thread_count(self, task):
    thread = threading.Thread(target=_worker, args=(task,))
    thread.start()
    thread.join()
