# the order of a folder's entries
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    for i in range(30): open(os.path.join(folder, f"f{i}"), "w").close()
    print(os.listdir(folder))
