# VotingClassifier of a forest and a perceptron with n_jobs=2
import hashlib
import sys
import warnings
try:
    import numpy as np
    from sklearn.datasets import make_moons
    from sklearn.ensemble import RandomForestClassifier, VotingClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
if __name__ == "__main__":
    X, y = make_moons(300, noise=0.3)
    models = [("forest", RandomForestClassifier(20)), ("net", MLPClassifier((16,), max_iter=80)), ("bayes", GaussianNB())]
    warnings.filterwarnings("ignore")
    vote = VotingClassifier(models, voting="soft", n_jobs=2).fit(X, y)
    print(hashlib.sha256(vote.predict_proba(X).tobytes()).hexdigest())
