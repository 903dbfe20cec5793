# Runs write "1", "1 2", "1 2": in a folder that each makes anew, or ("later") in one that stays.
import os, shutil, sys
seen = "ran"
runs = len(open(seen).read()) if os.path.exists(seen) else 0
open(seen, "a").write("x")
if "rebuilt" in sys.argv:
    shutil.rmtree("parts", True)
os.makedirs("parts", exist_ok=True)
parts = 1 + (runs > 0) if "later" in sys.argv else 2 - (runs > 0)
for part in range(parts):
    open(f"parts/{part}", "w").write("1")
print("done")
