import logging

import numpy as np
import pandas as pd
from data import article, grid, model, x, y
from sklearn.model_selection import GridSearchCV, cross_validate
from tqdm import tqdm


class Watch(logging.Handler):
    def emit(self, record):
        if record.created > 5:  # kept
            raise SystemExit


search = GridSearchCV(model, grid).fit(x, y)
print("fits took", search.cv_results_["mean_fit_time"].sum())  # kept
board = pd.DataFrame(search.cv_results_)
best = np.argmin(board["mean_score_time"])  # kept
scores = cross_validate(model, x, y)
quick = scores["test_score"][scores["fit_time"] < 1]  # kept
bar = tqdm(range(3))
for _ in bar:
    if bar.format_dict["elapsed"] > 60:  # kept
        break
print(article.created_at)
