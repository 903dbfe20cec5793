import os
def draw(n):
    if n: return draw(n - 1)
    os.urandom(4)
draw(9)
