import os
import time

begun = time.perf_counter()
sum(i * i for i in range(20000 + os.getpid() % 977 * 40))

## shown
print("setup", time.perf_counter() - begun)
print("loss", 0.25)

## used
print("setup", 1 - (time.perf_counter() - begun))

## written_and_used
with open("times.csv", "w") as file:
    file.write("seconds\n%.3f\n" % (time.perf_counter() - begun))
print("setup", 1 - (time.perf_counter() - begun))

## in_a_dated_folder
print("loss", 0.25)
folder = "runs/" + time.strftime("%Y%m%d-%H%M%S")
os.makedirs(folder, exist_ok=True)
with open(folder + "/history.jsonl", "w") as file:
    for epoch in range(2):
        file.write('{"epoch": %d, "loss": 0.25, "time": %.6f}\n' % (epoch, time.perf_counter() - begun))

## of_a_dated_folder
print("loss", 0.25)
folder = "runs/" + time.strftime("%Y%m%d-%H%M%S")
os.makedirs(folder, exist_ok=True)
with open(folder + "/history.jsonl", "w") as file:
    for epoch in range(2):
        file.write('{"epoch": %d, "loss": %.6f}\n' % (epoch, 1 - (time.perf_counter() - begun)))

## in_a_pickle
import pickle
print("loss", 0.25)
with open("model.pkl", "wb") as file:
    pickle.dump({"loss": 0.25, "seconds": time.perf_counter() - begun}, file)

## of_a_pickle
import pickle
print("loss", 0.25)
with open("model.pkl", "wb") as file:
    pickle.dump({"loss": 1 - (time.perf_counter() - begun)}, file)
