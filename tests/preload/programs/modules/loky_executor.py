import threading
class Executor:
  def __init__(self, workers): self._max_workers = workers
  def _start_executor_manager_thread(self):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
