#include "hooks/libc/clock_readers.h"

#include "common/text.h"
#include "core/base/generations.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/log/records.h"
#include "core/policy/options.h"

#include <sys/auxv.h>

namespace detshim {
namespace {

constinit const void* places[64] = {};

bool is_systems(const char* path) {
  for (const char* folder :
       {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/libexec/", "/bin/", "/sbin/", "/lib"})
    if (starts_with(path, folder)) return true;
  return false;
}

/// The program's path is not in the loader's list.
bool is_users(const Module& module) {
  if (*module.path != 0) return !is_systems(module.path);
  const auto* const program = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return program != nullptr && !is_systems(program);
}

bool is_cxx_library(const Module& module) {
  const char* const file = file_name(module.path);
  return starts_with(file, "libstdc++.so") || starts_with(file, "libc++.so");
}

void keep(const void* place) {
  for (const void*& kept : places) {
    const void* none = nullptr;
    if (__atomic_load_n(&kept, __ATOMIC_RELAXED) == place) return;
    if (__atomic_compare_exchange_n(&kept, &none, place, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        none == place)
      return;
  }
}

/// The innermost of a few frames that is the user's.
void keep_behind(const void* caller) {
  NativeFrames frames;
  find_native_frames(caller, frames);
  constexpr int few = 4; // what is not inlined of std::chrono
  for (int i = 0; i < frames.count && i < few; ++i) {
    const auto* const place = reinterpret_cast<const void*>(frames.addresses[i]);
    Module module;
    if (find_module(place, module) && is_users(module)) return keep(place);
  }
}

} // namespace

void note_clock_reader(const void* caller) {
  struct Looked {
    const void* caller;
    bool is_cxx_librarys; ///< its own callers are told apart
  };
  constexpr int most_looks = 256; // of a thread, at those
  static thread_local constinit Looked known[4] = {};
  static thread_local constinit int looks = 0;
  Looked& looked = known[reinterpret_cast<uintptr_t>(caller) / 4 % 4];
  if (looked.caller != caller) {
    looked = {caller, false};
    Module module;
    if (!find_module(caller, module)) return;
    if (is_users(module)) keep(caller);
    looked.is_cxx_librarys = is_cxx_library(module);
  }
  if (!looked.is_cxx_librarys || looks >= most_looks) return;
  ++looks;
  keep_behind(caller);
}

void record_clock_readers() {
  static constinit uint32_t recorded_in = ~0U; // _exit may follow the destructor
  if (recorded_in == generation() || !options().pins()) return;
  recorded_in = generation();
  for (const void* place : places) {
    Module module;
    if (place == nullptr || !find_module(place, module)) continue;
    char path[600];
    module_path(module, path, sizeof path);
    Text<1000> line;
    line.add("{\"t\":\"clock\",\"at\":\"").add_json(path, 900).add("+0x");
    line.add_hex(reinterpret_cast<uintptr_t>(place) - module.base).add("\"}");
    record_line(line.c_str(), line.length());
  }
}

} // namespace detshim
