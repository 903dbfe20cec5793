import os
n = len([i for i in '123' if os.path.exists('seen' + i)])
os.mkdir('seen' + str(n + 1))
print(str(n // 2) + '\r7')
