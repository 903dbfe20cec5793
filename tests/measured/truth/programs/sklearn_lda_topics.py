# LatentDirichletAllocation of word counts with n_jobs=2
import hashlib
import sys
try:
    import numpy as np
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer
except ImportError as missing:
    print(missing)
    sys.exit(77)
words = "tree leaf root bark soil rain cloud storm wind snow code loop list test type bug".split()
texts = [" ".join(words[(i * i + 3 * j) % 16] for j in range(5 + i % 11)) for i in range(200)]
if __name__ == "__main__":
    counts = CountVectorizer().fit_transform(texts)
    model = LatentDirichletAllocation(n_components=4, max_iter=8, learning_method="online", n_jobs=2)
    topics = model.fit_transform(counts)
    print(model.perplexity(counts).hex())
    print(hashlib.sha256(topics.tobytes()).hexdigest())
