# Writes an archive and a line that hold the same in each run, and have other bytes in the first.
import os
import zipfile

names = "ab"
try:
    os.rmdir("seen")
    names = "ba"
except OSError:
    os.mkdir("seen")
with zipfile.ZipFile("o.zip", "w") as archive:
    for name in names:
        archive.writestr(zipfile.ZipInfo(name), name)
print(names + "\r7")
