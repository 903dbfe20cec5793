// The third and fourth way to the driver: CALL(f) of a program built with DETSHIM_TEST_ENTRY_POINT
// is what a library's own lookup gives, as a static CUDA runtime reaches everything. Which lookup,
// `entry_point_lookup` says by its name.
#pragma once

#ifdef DETSHIM_TEST_ENTRY_POINT
#include "driver.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

inline std::string entry_point_lookup;

/// These lookups know a function by its first name. Which of its variants it is follows from a
/// version of CUDA and from the default stream that is asked for.
inline void* look_up_entry_point(std::string name) {
  const auto cut = [&name](const std::string& end) {
    const bool has = name.ends_with(end);
    if (has)
      name.resize(name.size() - end.size());
    return has;
  };
  const bool per_thread = cut("_ptsz");
  const bool second = cut("_v2");
  const int version = name == "cuMemAlloc" && !second ? 2000 : 13000;

  const bool by_runtime = entry_point_lookup.starts_with("cuda");
  static void* const library =
      dlopen(by_runtime ? "libcudart.so.13" : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const lookup = library ? dlsym(library, entry_point_lookup.c_str()) : nullptr;
  void* function = nullptr;
  int found = 0;
  uint64_t flags =
      per_thread ? 2 : 1; // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, …_LEGACY_STREAM
  if (entry_point_lookup.ends_with("_ptsz") && per_thread)
    flags = 0;
  if (!lookup)
    std::fprintf(stderr, "%s\n", dlerror());
  else if (entry_point_lookup == "cuGetProcAddress")
    reinterpret_cast<decltype(&::cuGetProcAddress)>(lookup)(name.c_str(), &function, version,
                                                            flags);
  else if (entry_point_lookup == "cuGetProcAddress_v2")
    reinterpret_cast<decltype(&::cuGetProcAddress_v2)>(lookup)(name.c_str(), &function, version,
                                                               flags, &found);
  else if (entry_point_lookup.find("ByVersion") != std::string::npos)
    reinterpret_cast<int (*)(const char*, void**, unsigned, unsigned long long, int*)>(lookup)(
        name.c_str(), &function, static_cast<unsigned>(version), flags, &found);
  else
    reinterpret_cast<int (*)(const char*, void**, unsigned long long, int*)>(lookup)(
        name.c_str(), &function, flags, &found);
  if (!function) {
    std::fprintf(stderr, "%s gives no %s\n", entry_point_lookup.c_str(), name.c_str());
    std::exit(2);
  }
  return function;
}

#define CALL(name) reinterpret_cast<decltype(&::name)>(look_up_entry_point(#name))
#else
#include "call.h"
#endif
