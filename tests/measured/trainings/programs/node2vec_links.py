"""Link prediction: node2vec walks on a community graph, embeddings, logistic regression on edge features."""

import argparse
import json
import logging
import os
import random
import time
from collections import defaultdict
from contextlib import contextmanager

import numpy as np
from gensim.models import Word2Vec
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import average_precision_score, roc_auc_score
from tqdm import trange

log = logging.getLogger("node2vec")


@contextmanager
def stage(name, timings):
    begin = time.monotonic()
    log.info("%s ...", name)
    yield
    timings[name] = time.monotonic() - begin
    log.info("%s done (%.2fs)", name, timings[name])


def community_graph(communities, size, rng):
    n = communities * size
    edges = []
    for u in range(n):
        for v in range(u + 1, n):
            same = u // size == v // size
            if rng.random() < (0.25 if same else 0.006):
                edges.append((u, v))
    return n, edges


def adjacency(edges):
    neighbours = defaultdict(list)
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    return neighbours


def walk(start, neighbours, length, p, q, rng):
    path = [start]
    while len(path) < length:
        options = neighbours[path[-1]]
        if not options:
            break
        if len(path) == 1:
            path.append(rng.choice(options))
            continue
        back = path[-2]
        close = set(neighbours[back])
        weights = [1 / p if o == back else 1.0 if o in close else 1 / q for o in options]
        path.append(rng.choices(options, weights)[0])
    return [str(node) for node in path]


def edge_features(vectors, pairs):
    a = np.stack([vectors[str(u)] for u, _ in pairs])
    b = np.stack([vectors[str(v)] for _, v in pairs])
    return np.hstack([a * b, np.abs(a - b)])


def negatives(n, edges, count, rng):
    known = set(edges)
    out = []
    while len(out) < count:
        u, v = sorted((rng.randrange(n), rng.randrange(n)))
        if u != v and (u, v) not in known:
            known.add((u, v))
            out.append((u, v))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walks", type=int, default=6)
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("-p", type=float, default=1.0)
    parser.add_argument("-q", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(message)s")
    rng = random.Random(args.seed)
    np.random.seed(args.seed)
    timings = {}

    with stage("graph", timings):
        n, edges = community_graph(8, 25, rng)
        rng.shuffle(edges)
        cut = int(0.8 * len(edges))
        kept, hidden = edges[:cut], edges[cut:]
        neighbours = adjacency(kept)

    with stage("walks", timings):
        corpus = []
        for _ in trange(args.walks, desc="walks"):
            nodes = list(range(n))
            rng.shuffle(nodes)
            corpus += [walk(u, neighbours, args.length, args.p, args.q, rng) for u in nodes]

    with stage("embedding", timings):
        model = Word2Vec(
            corpus, vector_size=24, window=4, min_count=1, sg=1, epochs=4, workers=1, seed=args.seed
        )

    with stage("classifier", timings):
        missing = negatives(n, edges, len(edges), rng)
        classifier = LogisticRegressionCV(Cs=5, cv=3, max_iter=400)
        classifier.fit(
            edge_features(model.wv, kept + missing[:cut]), [1] * cut + [0] * len(missing[:cut])
        )
        scores = classifier.predict_proba(edge_features(model.wv, hidden + missing[cut:]))[:, 1]
        truth = [1] * len(hidden) + [0] * len(missing[cut:])

    auc, ap = roc_auc_score(truth, scores), average_precision_score(truth, scores)
    print(f"{len(edges)} edges, {len(corpus)} walks")
    print(f"hidden links: auc {auc:.8f} ap {ap:.8f}")
    print("timings: " + ", ".join(f"{k} {v:.2f}s" for k, v in timings.items()))
    with open("report.json.tmp", "w") as f:
        json.dump({"auc": auc, "ap": ap, "timings": timings, "pid": os.getpid()}, f, indent=1)
    os.replace("report.json.tmp", "report.json")


if __name__ == "__main__":
    main()
