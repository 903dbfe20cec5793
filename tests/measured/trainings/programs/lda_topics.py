"""Topic model of a generated corpus with gensim; chooses the number of topics by held-out perplexity."""

import collections
import csv
import logging
import pathlib
import time

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import LdaModel, TfidfModel
from gensim.models.coherencemodel import CoherenceModel

SEED = 100
CANDIDATES = [3, 5, 7]
OUT = pathlib.Path("topics")

logging.basicConfig(
    filename="lda.log", format="%(asctime)s %(levelname)s %(name)s %(message)s", level=logging.INFO
)


def timed(fn):
    def wrapper(*args, **kwargs):
        begin = time.perf_counter()
        result = fn(*args, **kwargs)
        print(f"[{fn.__name__}] {time.perf_counter() - begin:.2f} s")
        return result

    return wrapper


@timed
def make_corpus(documents, rng, true_topics=5, words=120):
    vocabulary = np.array([f"w{i:03d}" for i in range(words)])
    topics = rng.dirichlet(np.full(words, 0.05), true_topics)
    mixtures = rng.dirichlet(np.full(true_topics, 0.3), documents)
    texts = []
    for mixture in mixtures:
        counts = rng.multinomial(rng.integers(30, 70), mixture @ topics)
        texts.append(list(np.repeat(vocabulary, counts)))
    return texts, mixtures


def vectorise(texts, dictionary=None):
    if dictionary is None:
        dictionary = Dictionary(texts)
        dictionary.filter_extremes(no_below=3, no_above=0.6)
    return dictionary, [dictionary.doc2bow(t) for t in texts]


@timed
def fit(bow, dictionary, topics):
    return LdaModel(
        bow,
        num_topics=topics,
        id2word=dictionary,
        passes=4,
        iterations=40,
        chunksize=200,
        random_state=SEED,
        eval_every=None,
    )


def score(model, held_out, texts, dictionary):
    bound = model.log_perplexity(held_out)
    coherence = CoherenceModel(
        model, texts=texts, dictionary=dictionary, coherence="u_mass", processes=1
    )
    return float(2**-bound), coherence.get_coherence()


def main():
    rng = np.random.default_rng(SEED)
    OUT.mkdir(exist_ok=True)
    texts, mixtures = make_corpus(700, rng)
    train, held = texts[:600], texts[600:]
    dictionary, bow = vectorise(train)
    _, held_bow = vectorise(held, dictionary)
    print(f"{len(dictionary)} words, {sum(map(len, bow))} entries")

    rows, models = [], {}
    for k in CANDIDATES:
        tic = time.time()
        models[k] = fit(bow, dictionary, k)
        perplexity, coherence = score(models[k], held_bow, held, dictionary)
        rows.append([k, perplexity, coherence, time.time() - tic])
        print(f"k={k} perplexity={perplexity:.6f} coherence={coherence:.6f}")
    best = min(rows, key=lambda row: row[1])[0]
    with open(OUT / "candidates.csv", "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["topics", "perplexity", "u_mass", "seconds"])
        writer.writerows(rows)

    model = models[best]
    main_topic = collections.Counter(
        max(model.get_document_topics(d), key=lambda pair: pair[1])[0] for d in bow
    )
    print("best:", best, "topics; sizes", sorted(main_topic.values(), reverse=True))
    for number, words in model.show_topics(num_words=4, formatted=False):
        print(number, " ".join(f"{w}:{p:.4f}" for w, p in words))
    tfidf = TfidfModel(bow)
    weight = sum(v for d in held_bow for _, v in tfidf[d])
    print(f"tf-idf mass of the held-out documents {weight:.6f}")
    model.save(str(OUT / "lda.model"))


if __name__ == "__main__":
    main()
