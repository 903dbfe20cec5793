import sys
sys.path.append('site-packages/pandas')
import times
times.now()
