"""Doc2Vec on support tickets, then a classifier that routes them to a team."""

import argparse
import logging
import pickle
import random
import time

import numpy as np
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.doc2vec import Doc2Vec, TaggedDocument
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.WARNING)

TEAMS = ["billing", "network", "hardware", "accounts"]
COMMON = [f"common{i}" for i in range(60)]


class EpochTimer(CallbackAny2Vec):
    def __init__(self):
        self.epoch, self.began = 0, None

    def on_epoch_begin(self, model):
        self.began = time.perf_counter()

    def on_epoch_end(self, model):
        self.epoch += 1
        if self.epoch % 5 == 0:
            print(f"epoch {self.epoch} done in {time.perf_counter() - self.began:.2f}s")


def tickets(n, seed):
    """words of a team, mixed with words that all teams use"""
    rng = random.Random(seed)
    words = {t: [f"{t}{i}" for i in range(50)] for t in TEAMS}
    result = []
    for number in range(n):
        team = rng.choice(TEAMS)
        other = rng.choice(TEAMS)
        text = []
        for _ in range(rng.randint(15, 45)):
            u = rng.random()
            source = words[team] if u < 0.2 else words[other] if u < 0.33 else COMMON
            text.append(source[min(int(rng.expovariate(0.08)), len(source) - 1)])
        result.append((number, team, text))
    return result


def embed(corpus, args):
    documents = [TaggedDocument(text, [number]) for number, _, text in corpus]
    model = Doc2Vec(
        vector_size=args.dim,
        window=4,
        min_count=2,
        dm=0,
        dbow_words=1,
        negative=5,
        epochs=args.epochs,
        workers=args.workers,
        seed=1,
    )
    model.build_vocab(documents)
    model.train(
        documents,
        total_examples=model.corpus_count,
        epochs=model.epochs,
        callbacks=[EpochTimer()],
    )
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tickets", type=int, default=1500)
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    random.seed(0)
    np.random.seed(0)
    corpus = tickets(args.tickets, seed=5)
    model = embed(corpus, args)
    x = np.stack([model.dv[number] for number, _, _ in corpus])
    y = np.array([TEAMS.index(team) for _, team, _ in corpus])
    classifier = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=500))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    pred = cross_val_predict(classifier, x, y, cv=folds)
    print(f"macro f1 {f1_score(y, pred, average='macro'):.6f}")
    for k, team in enumerate(TEAMS):
        print(f"  {team:10s} recall {(pred[y == k] == k).mean():.4f}")
    print("norm of the vectors %.6f" % np.linalg.norm(x))
    with open("router.pkl", "wb") as f:
        pickle.dump(classifier.fit(x, y), f)


if __name__ == "__main__":
    main()
