import threading
class Word2Vec:
  def __init__(self, workers): self.workers = workers
  def _train_epoch(self):
    threads = [threading.Thread(target=int) for i in range(self.workers + 1)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
