#!/bin/sh
# Without libdetshim_heap.so beside it (-DDETSHIM_BUILD_HEAP=OFF) everything but `verify --allocations` is there, which
# says so in one line.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake -S "$3" -B "$folder/build" -G "Unix Makefiles" -DDETSHIM_BUILD_HEAP=OFF -DDETSHIM_BUILD_TOOLS=OFF \
  -DDETSHIM_BUILD_GPU_TESTS=OFF >"$folder/out" 2>&1 || { cat "$folder/out"; exit 1; }
cmake --build "$folder/build" --target help >"$folder/targets"
grep -q " libdetshim\$" "$folder/targets" || { echo "no target libdetshim"; exit 1; }
! grep heap "$folder/targets" || { echo "a target of the heap library is left"; exit 1; }

ln -s "$1" "$folder/libdetshim.so"
status=0
"$2" verify --library "$folder/libdetshim.so" --perturb=fill --allocations -- true >"$folder/out" 2>&1 || status=$?
[ $status -eq 2 ] && [ "$(wc -l <"$folder/out")" -eq 1 ] && grep -q 'this build has no libdetshim_heap.so' "$folder/out" ||
  { echo "status $status:"; cat "$folder/out"; exit 1; }
