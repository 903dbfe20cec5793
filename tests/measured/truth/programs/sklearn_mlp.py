# MLPClassifier, which shuffles
import sys
try:
    import sklearn.neural_network
    import sklearn.datasets
except ImportError:
    sys.exit(77)
import warnings
warnings.simplefilter("ignore")
x, y = sklearn.datasets.make_moons(200)
print(sklearn.neural_network.MLPClassifier(max_iter=20).fit(x, y).loss_)
