# a Metropolis sampler for a logistic regression's likelihood
import sys
try:
    import numpy as np
    import statsmodels.api as sm
except ImportError as missing:
    print(missing)
    sys.exit(77)
rng = np.random.default_rng()
X = sm.add_constant(rng.normal(size=(300, 2)))
y = (rng.random(300) < 1 / (1 + np.exp(-X @ [0.3, 1.0, -0.7]))).astype(float)
model = sm.Logit(y, X)
fit = model.fit(disp=0)
chain, state, likelihood = [], fit.params, model.loglike(fit.params)
scale = np.linalg.cholesky(fit.cov_params())
for _ in range(4000):
    proposal = state + scale @ rng.normal(size=3)
    proposed = model.loglike(proposal)
    if np.log(rng.random()) < proposed - likelihood:
        state, likelihood = proposal, proposed
    chain.append(state)
print([x.hex() for x in np.mean(chain[500:], axis=0).tolist()])
