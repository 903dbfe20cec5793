import json, os, sys, time
start = time.time()
folder = time.strftime("runs/%Y%m%d-%H%M%S")
os.makedirs(folder, exist_ok=True)
loss = time.time_ns() % 1000003 if "differs" in sys.argv else 0.25
with open(folder + "/log.jsonl", "w") as log:
    print(json.dumps({"loss": loss, "time": time.time()}), file=log)
with open(folder + "/log.csv", "w") as table:
    print("epoch,val_loss,elapsed", file=table)
    print(f"1,0.5,{time.time() - start:.7f}", file=table)
    print('2,"0.5",0', file=table)
if "twice" in sys.argv:  # one of two whose names differ in the moment alone
    for seconds in (0, 1):
        name = time.strftime("model-%Y%m%d-%H%M%S.txt", time.localtime(int(start) + seconds))
        open(name, "w").write(str(time.time_ns() % 1000003 if seconds == 0 else 0))
if "overwritten" in sys.argv:  # a terminal would show the last state alone
    open("states.txt", "w").write(f"loss 0.{time.time_ns() % 1000003}\rloss 0.5\n")
print("saved to", folder)
