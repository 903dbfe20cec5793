// One source, two ways to a vendor's library: CALL(f) is the linked f, or, in a program built with
// DETSHIM_TEST_DLOPEN, the f that dlsym finds in a library opened RTLD_LOCAL, as Python's ctypes,
// TensorFlow and cudnn-frontend reach it.
#pragma once

#ifdef DETSHIM_TEST_DLOPEN
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

inline void* look_up(const char* library, const char* name) {
  static void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* function = handle ? dlsym(handle, name) : nullptr;
  if (!function) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return function;
}

#define CALL(name) reinterpret_cast<decltype(&::name)>(look_up(DETSHIM_TEST_DLOPEN, #name))
#else
#define CALL(name) ::name
#endif
