"""What MKL has read from its variables; 77 where there is no MKL."""
import ctypes
import sys

for name in ("libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"):
    try:
        mkl = ctypes.CDLL(name)
        break
    except OSError:
        continue
else:
    print("no libmkl_rt", file=sys.stderr)
    sys.exit(77)
OFF, EVERYTHING = 1, -1  # mkl_cbwr.h: MKL_CBWR_BRANCH_OFF, MKL_CBWR_ALL
print("reproducible", mkl.MKL_CBWR_Get(EVERYTHING) != OFF, "dynamic", mkl.MKL_Get_Dynamic() != 0)
