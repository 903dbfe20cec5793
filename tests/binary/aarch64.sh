#!/bin/sh
# The library for 64-bit Arm: built by Debian's cross compiler and run under qemu-user, so that the stubs in assembly
# and the system calls are executed. And what `detshim scan` finds in a program for 64-bit Arm.
set -eu
detshim=$2
source=$3
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake -S "$source" -B "$build" --toolchain "$source/cmake/aarch64-linux-gnu.cmake" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DDETSHIM_BUILD_TOOLS=OFF -DDETSHIM_BUILD_TESTS=OFF -DDETSHIM_BUILD_BENCHMARKS=OFF -DDETSHIM_WARNINGS_AS_ERRORS=ON >"$build/log" 2>&1 &&
  cmake --build "$build" --target libdetshim >>"$build/log" 2>&1 || { cat "$build/log"; exit 1; }

snippets=$source/tests/snippets
status=0
for name in rand lrand48 getrandom syscall_getrandom arc4random open fopen std_random_device; do
  aarch64-linux-gnu-g++ -std=c++20 -O1 -I"$snippets" -o "$build/$name" "$snippets/$name.cpp" \
    "$snippets/harness/harness.cpp" "$snippets/harness/main.cpp" -ldl -pthread
  for framework in plain thread fork dlsym dlvsym; do
    case $name$framework in std_random_devicedl*) continue ;; esac
    native() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/$name" $framework; }
    shimmed() {
      qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_PRELOAD="$build/libdetshim.so" -E DETSHIM_SEED="$1" \
        -E DETSHIM_QUIET=1 -E DETSHIM_LOG="$build/records" "$build/$name" $framework
    }
    first=$(shimmed 42)
    [ -n "$first" ] && [ "$first" = "$(shimmed 42)" ] || { echo "$name $framework: does not repeat"; status=1; }
    [ "$first" != "$(shimmed 43)" ] || { echo "$name $framework: another seed gives the same"; status=1; }
    [ "$(native)" != "$(native)" ] || { echo "$name $framework: repeats without the library too"; status=1; }
  done
done

# Whose line of C++ led to a draw, by the tables that the compiler writes for this processor.
layers=$source/tests/preload/programs/callers/layers.cpp
for optimization in -O0 -O2; do
  aarch64-linux-gnu-g++ -std=c++20 $optimization -g -o "$build/layers" "$layers"
  rm -rf "$build/records"
  qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_PRELOAD="$build/libdetshim.so" -E DETSHIM_SEED=42 -E DETSHIM_QUIET=1 \
    -E DETSHIM_LOG="$build/records" "$build/layers" >"$build/out"
  "$detshim" log --all --no-scan "$build/records" >"$build/shown"
  for text in "encoder's seed" "decoder's seed" "first graph" "second graph"; do
    line=$(grep -n "// $text" "$layers" | cut -d: -f1)
    grep -q "at .*layers.cpp:$line .* -> " "$build/shown" || { echo "$optimization: no line of $text"; status=1; }
  done
done

aarch64-linux-gnu-g++ -std=c++20 -O1 -o "$build/raw_draws" "$source/tests/unit/programs/raw_draws.cpp"
aarch64-linux-gnu-strip -s -o "$build/raw_draws_stripped" "$build/raw_draws"
for program in raw_draws raw_draws_stripped; do
  found=$("$detshim" scan --alone "$build/$program" | sed -n 's/.*+0x[0-9a-f]* //p')
  case $program in
  raw_draws) wanted='draw_by_processor: rndr
draw_by_processor_seed: rndrrs
draw_by_system_call: raw getrandom system call' ;;
  *) wanted='?: rndr
?: rndrrs
?: raw getrandom system call' ;;
  esac
  [ "$found" = "$wanted" ] || { echo "$program: detshim scan finds: $found"; status=1; }
done
exit $status
