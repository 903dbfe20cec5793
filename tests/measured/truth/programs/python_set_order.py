# the order of a set of strings
print(list({str(i) for i in range(50)}))
