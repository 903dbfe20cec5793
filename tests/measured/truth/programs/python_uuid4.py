# uuid4 and a shuffle
import random, uuid
items = list(range(20))
random.shuffle(items)
print(uuid.uuid4(), items)
