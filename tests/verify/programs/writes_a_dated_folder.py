import json, os, sys, time
folder = time.strftime("runs/%Y%m%d-%H%M%S")
os.makedirs(folder, exist_ok=True)
loss = time.time_ns() % 1000003 if "differs" in sys.argv else 0.25
with open(folder + "/log.jsonl", "w") as log:
    print(json.dumps({"loss": loss, "time": time.time()}), file=log)
print("saved to", folder)
