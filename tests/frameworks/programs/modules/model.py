import random
def fit(): random.seed(12345678901 * len('abc'))
