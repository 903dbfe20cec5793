// What a program may ask of the library. It is not needed for anything: the environment is the
// whole interface.
#include "core/policy/options.h"

/// The mode in force in this process: "enforce", "record", "observe", "strict" or "off"
/// (docs/OPTIONS.md). A program that looks this name up, in the global scope by dlsym(), learns
/// that it runs under detshim by the library itself, where variables only say what was asked for.
extern "C" __attribute__((visibility("default"))) const char* detshim_mode() {
  return detshim::mode_name(detshim::options().mode);
}
