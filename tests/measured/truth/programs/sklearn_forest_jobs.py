# RandomForestClassifier with n_jobs=2 (threads)
import sys
try:
    import sklearn.ensemble
    import sklearn.datasets
except ImportError:
    sys.exit(77)
x, y = sklearn.datasets.make_classification(300)
print(sklearn.ensemble.RandomForestClassifier(20, n_jobs=2).fit(x, y).predict_proba(x)[:3])
