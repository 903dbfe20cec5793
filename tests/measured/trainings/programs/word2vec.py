"""word2vec on a generated corpus + nearest-neighbour evaluation"""
import logging
import random
import sys
import time

import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.phrases import Phrases, Phraser

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.WARNING)

TOPICS = {
    "food": "bread cheese soup apple salad rice pasta sugar lemon butter".split(),
    "sport": "ball goal team coach match league player score referee stadium".split(),
    "tech": "cpu kernel compiler server network disk cache thread memory driver".split(),
    "music": "guitar piano drum chord melody singer album concert rhythm violin".split(),
}
GLUE = "the a of and in with for on is was".split()


class EpochLogger(CallbackAny2Vec):
    """Callback to log information about training"""

    def __init__(self):
        self.epoch = 0
        self.losses = []
        self.prev = 0.0

    def on_train_begin(self, model):
        self.train_start = time.time()

    def on_epoch_begin(self, model):
        self.start = time.time()

    def on_epoch_end(self, model):
        total = model.get_latest_training_loss()
        self.losses.append(total - self.prev)
        self.prev = total
        print("Epoch #{} loss {:.2f} took {:.2f}s".format(self.epoch, self.losses[-1], time.time() - self.start))
        self.epoch += 1

    def on_train_end(self, model):
        print("Training finished, %.1fs" % (time.time() - self.train_start))


def sentences(n=3000):
    names = list(TOPICS)
    out = []
    for _ in range(n):
        topic = random.choice(names)
        sent = []
        for _ in range(random.randint(5, 12)):
            sent.append(random.choice(TOPICS[topic]) if random.random() < 0.6 else random.choice(GLUE))
        if topic == "tech" and random.random() < 0.4:
            sent += ["open", "source"]
        out.append(sent)
    return out


def purity(model, k=5):
    hits, total = 0, 0
    for topic, words in TOPICS.items():
        for w in words:
            if w not in model.wv:
                continue
            near = [x for x, _ in model.wv.most_similar(w, topn=k)]
            hits += sum(x in words for x in near)
            total += k
    return hits / total


def main():
    t0 = time.time()
    corpus = sentences()
    phrases = Phraser(Phrases(corpus, min_count=20, threshold=5))
    corpus = [phrases[s] for s in corpus]
    print("corpus ready: %d sentences (%.2fs)" % (len(corpus), time.time() - t0))
    logger = EpochLogger()
    model = Word2Vec(vector_size=32, window=4, min_count=3, workers=1, seed=1, sg=1, negative=5)
    model.build_vocab(corpus)
    model.train(corpus, total_examples=model.corpus_count, epochs=5, compute_loss=True, callbacks=[logger])
    score = purity(model)
    print("vocabulary %d, purity@5 %.5f" % (len(model.wv), score))
    print("checksum %.6f" % float(np.abs(model.wv.vectors).sum()))
    model.wv.save_word2vec_format("vectors.txt")
    return 0 if score > 0.2 else 1


if __name__ == "__main__":
    sys.exit(main())
