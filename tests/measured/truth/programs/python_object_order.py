# the order of a set of objects, by their addresses
class A: pass
objects = [A() for _ in range(50)]
places = {id(a): i for i, a in enumerate(objects)}
print([places[id(a)] for a in set(objects)])
