"""A job of Hydra's, which writes into a folder of its own."""

import os
import random
import sys

import hydra
import numpy
from omegaconf import OmegaConf

os.makedirs("conf", exist_ok=True)
with open("conf/main.yaml", "w") as file:
    file.write("rate: 0.1\n")
sys.argv = [sys.argv[0], "hydra.run.dir=outputs/" + sys.argv[1], "rate=0.5"]


@hydra.main(version_base=None, config_path=os.path.abspath("conf"), config_name="main")
def train(config):
    assert OmegaConf.to_container(config) == {"rate": 0.5}
    print("drawn:", random.random(), numpy.random.default_rng().random(), config.rate)


train()
