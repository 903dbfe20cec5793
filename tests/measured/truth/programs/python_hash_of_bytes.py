# hash() of texts
print([hash(str(i)) for i in range(5)])
