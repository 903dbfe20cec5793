import sys, time
sys.path.insert(0, 'lib/python3/site-packages')
import bar
from torch.utils.data import dataloader
assert time.time() > 0
for batch in bar.bar(dataloader.batches()): print(batch)
