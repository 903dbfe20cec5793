#!/bin/sh
# shim/core/fingerprint/hash_kernel.ptx is what its script makes of the kernel. Versions of clang write other texts:
# that of Debian 12 decides.
set -eu
case $(clang++ --version 2>/dev/null) in
*"version 14."*) ;;
*) echo "clang++ 14 is not here: skipped"; exit 77 ;;
esac
clang++ --print-targets | grep -q nvptx64 || { echo "clang++ has no NVPTX back end: skipped"; exit 77; }
"$3/tools/scripts/make_hash_kernel" | diff -u "$3/shim/core/fingerprint/hash_kernel.ptx" - ||
  { echo "run: tools/scripts/make_hash_kernel >shim/core/fingerprint/hash_kernel.ptx"; exit 1; }
