// Decides which copy of a library a call is for, by the caller's object: the copy that one of its
// other references is bound to. Without such a reference the next definition in load order counts,
// then what the object itself would find. The answer holds for all calls of that object in the
// thread.
//
// It cannot know which of two copies is meant by an object that is bound to both: the first that it
// finds counts.
#include "loader/real_of_caller.h"

#include "loader/once_in_thread.h"

#include <dlfcn.h>

namespace detshim {
namespace {

/// The copy of the library that the object's other references are bound to.
bool find_bound_copy(const Module& asking, const char* library, Module& copy) {
  return each_binding(asking, [&](const char*, const void* target, const void*) {
    return !asking.holds(target) && find_module(target, copy) && is_of_library(copy, library);
  });
}

template <typename Signature>
Signature* libc_function(const char* name) {
  Hook* hook = find_hook(name);
  if (hook->real == nullptr)
    find_real(*hook);
  return reinterpret_cast<Signature*>(const_cast<void*>(hook->real));
}

const void* choose(const Hook& hook, const Module& asking) {
  const char* name = hook.info().name;
  Module copy;
  if (find_bound_copy(asking, hook.info().library, copy))
    if (const void* own = copy.symbol(name))
      return own;
  auto* look_up = libc_function<void*(void*, const char*)>("dlsym");
  if (look_up == nullptr)
    return nullptr;
  if (const void* global = look_up(RTLD_NEXT, name))
    return global;
  auto* open = libc_function<void*(const char*, int)>("dlopen");
  auto* close = libc_function<int(void*)>("dlclose");
  void* handle =
      open != nullptr && close != nullptr ? open(asking.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (handle == nullptr)
    return nullptr;
  const void* local = look_up(handle, name);
  close(handle);
  return local != hook.wrapper() ? local : nullptr;
}

} // namespace

const void* real_of_caller(const Hook& hook, const void* caller) {
  Module asking;
  if (!find_module(caller, asking))
    return nullptr;
  return reinterpret_cast<const void*>(once_in_thread(&hook, asking.dynamic, [&] {
    return reinterpret_cast<uintptr_t>(choose(hook, asking));
  }));
}

} // namespace detshim
