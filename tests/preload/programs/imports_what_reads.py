import random, sys
random.random()
sys.path.insert(0, 'lib/python3/site-packages')
import package
package.again()
