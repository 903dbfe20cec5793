# names of temporary files
import os, tempfile
print(os.path.basename(tempfile.mktemp()))
