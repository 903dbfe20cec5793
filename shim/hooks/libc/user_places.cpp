#include "hooks/libc/user_places.h"

#include "common/text.h"
#include "core/base/generations.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/placement.h"
#include "core/base/python_frames.h"
#include "core/log/records.h"
#include "core/policy/options.h"

#include <cstring>

#include <sys/auxv.h>

namespace detshim {
namespace {

constexpr const char* kind_names[] = {"clock", "threads", "forks"}; // types of records
constexpr int kinds = 3;

/// A place, and who called the code there: behind a template of the C++ library's is the line that used it.
struct Place {
  const void* at;
  const void* behind[8];
};
constinit Place places[kinds][64] = {};
/// Asked as every process ends, where a look at the places would cost a page fault for each of their pages.
DETSHIM_STARTUP_DATA constinit bool is_any_kept = false;

bool is_systems(const char* path) {
  for (const char* folder :
       {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/libexec/", "/bin/", "/sbin/", "/lib"})
    if (starts_with(path, folder)) return true;
  return false;
}

/// The program's path is not in the loader's list. An interpreter is nobody's own code, wherever it lies:
/// what a line of Python does is recorded by that line.
bool is_users(const Module& module) {
  if (is_python(module)) return false;
  if (*module.path != 0) return !is_systems(module.path);
  const auto* const program = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return program != nullptr && !is_systems(program);
}

bool is_cxx_library(const Module& module) {
  const char* const file = file_name(module.path);
  return starts_with(file, "libstdc++.so") || starts_with(file, "libc++.so");
}

bool is_same(const Place& a, const Place& b) {
  for (int i = 0; i < 8; ++i)
    if (a.behind[i] != b.behind[i]) return false;
  return a.at == b.at;
}

void keep(UserPlace kind, const Place& place) {
  for (Place& kept : places[static_cast<int>(kind)]) {
    const void* none = nullptr;
    if (__atomic_load_n(&kept.at, __ATOMIC_RELAXED) == nullptr &&
        __atomic_compare_exchange_n(&kept.at, &none, place.at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      for (int i = 0; i < 8; ++i) kept.behind[i] = place.behind[i];
      __atomic_store_n(&is_any_kept, true, __ATOMIC_RELEASE);
      return;
    }
    if (is_same(kept, place)) return;
  }
}

/// The innermost of a few frames that is the user's, with those behind it.
void keep_behind(UserPlace kind, const void* caller) {
  NativeFrames frames;
  find_native_frames(caller, frames);
  constexpr int few = 4; // what is not inlined of std::chrono
  for (int i = 0; i < frames.count && i < few; ++i) {
    Place place = {reinterpret_cast<const void*>(frames.addresses[i]), {}};
    Module module;
    if (!find_module(place.at, module) || !is_users(module)) continue;
    for (int k = 0; k < 8 && i + 1 + k < frames.count; ++k)
      place.behind[k] = reinterpret_cast<const void*>(frames.addresses[i + 1 + k]);
    return keep(kind, place);
  }
}

struct PythonReading {
  const void* at; // what it holds is there once this is not nullptr
  size_t length;
  char frames[1600];
};
constexpr int most_readings_of_python = 16;
constinit PythonReading readings_of_python[most_readings_of_python] = {};
constinit int readings_of_python_begun = 0;

void add_place(TextWriter& line, const void* place) {
  Module module;
  char path[600];
  if (!find_module(place, module)) return;
  module_path(module, path, sizeof path);
  line.add_json(path, 900).add("+0x").add_hex(reinterpret_cast<uintptr_t>(place) - module.base);
}

} // namespace

void note_user_place(UserPlace kind, const void* caller) {
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
    if (is_users(module)) keep(kind, {caller, {}});
    looked.is_cxx_librarys = is_cxx_library(module);
  }
  if (!looked.is_cxx_librarys || looks >= most_looks) return;
  ++looks;
  keep_behind(kind, caller);
}

void keep_clock_of_python(const void* caller, const char* frames, size_t length) {
  for (PythonReading& kept : readings_of_python) {
    if (__atomic_load_n(&kept.at, __ATOMIC_ACQUIRE) == nullptr) break;
    if (kept.length == length && memcmp(kept.frames, frames, length) == 0) return;
  }
  if (length > sizeof readings_of_python[0].frames) return;
  const int own = __atomic_fetch_add(&readings_of_python_begun, 1, __ATOMIC_RELAXED);
  if (own >= most_readings_of_python) return;
  PythonReading& kept = readings_of_python[own];
  memcpy(kept.frames, frames, length);
  kept.length = length;
  __atomic_store_n(&kept.at, caller, __ATOMIC_RELEASE);
  __atomic_store_n(&is_any_kept, true, __ATOMIC_RELEASE);
}

void record_user_places() {
  DETSHIM_STARTUP_DATA static constinit uint32_t recorded_in = ~0U; // _exit may follow the destructor
  if (!is_any_kept || recorded_in == generation() || !options().pins()) return;
  recorded_in = generation();
  for (const PythonReading& reading : readings_of_python) {
    Module module;
    const void* const at = __atomic_load_n(&reading.at, __ATOMIC_ACQUIRE);
    if (at == nullptr || !find_module(at, module)) continue;
    Text<3000> line;
    line.add("{\"t\":\"clock\",\"at\":\"");
    add_place(line, at);
    line.add('"').add(reading.frames, reading.length).add('}');
    record_line(line.c_str(), line.length());
  }
  for (int kind = 0; kind < kinds; ++kind)
    for (const Place& place : places[kind]) {
      Module module;
      if (place.at == nullptr || !find_module(place.at, module)) continue;
      Text<3000> line;
      line.add("{\"t\":\"").add(kind_names[kind]).add("\",\"at\":\"");
      add_place(line, place.at);
      line.add('"');
      const size_t without_frames = line.length();
      for (const void* behind : place.behind) {
        constexpr size_t line_is_full = 2000;
        if (behind == nullptr || !find_module(behind, module) || line.length() > line_is_full) break;
        line.add(line.length() == without_frames ? ",\"frames\":[\"" : ",\"");
        add_place(line, behind);
        line.add('"');
      }
      if (line.length() != without_frames) line.add(']');
      line.add('}');
      record_line(line.c_str(), line.length());
    }
}

} // namespace detshim
