import random, time

## function_of_the_user
def seed(s): print(s); random.seed(s)
seed(time.time_ns())

## method_of_a_generator
class Own(random.Random):
  def seed(self, s=1): print(s); super().seed(s)
Own(time.time_ns())
