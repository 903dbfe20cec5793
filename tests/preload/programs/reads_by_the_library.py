import random
random.random()
import email.utils, os
email.utils.formatdate()
os.path.getmtime('/')
