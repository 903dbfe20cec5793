// Which function a wrapper stands in front of.
#pragma once

#include "core/base/hook_table.h"
#include "core/base/modules.h"

namespace detshim {

/// Looks for the function behind the hook and remembers it: the next object that defines the name,
/// as the program would have got it without us. A CUDA library's own definition is preferred to a
/// stub's of the same name, wherever it was loaded. A definition in an object that is not of the
/// hook's library is *shadowed*: calls are handed through untouched. Legal at any time,
/// constructors of other libraries included.
void find_real(Hook& hook);

/// Whether some hook's function is shadowed: asked as every process ends, where the walk over all
/// hooks would cost a page fault for each of their pages.
bool has_shadowed();

/// What a function that a lookup in one object found is to a hook.
enum class Found {
  fronted,     ///< the function that the hook stands in front of
  shadowed,    ///< another library's function of the same name
  second_copy, ///< the library's, but of a copy of it that the hook does not stand in front of
};

/// Takes note of a function that a program got from a lookup in one object (dlsym with a handle),
/// which may be the only way to it: the object was opened RTLD_LOCAL.
Found adopt_real(Hook& hook, const void* function);

/// Forgets the real functions that were unloaded, so that a library that is loaded again is hooked
/// again.
void forget_unloaded();

/// Another function of the library that `hook` stands in front of; nullptr if it has none of that
/// name.
const void* find_sibling(const Hook& hook, const char* name);

template <typename Function>
Function* find_sibling(const Hook& hook, const char* name) {
  return reinterpret_cast<Function*>(const_cast<void*>(find_sibling(hook, name)));
}

/// A function's name, kept in what asks for it again and again: a pointer to it would be one more
/// that the loader writes at every start of every program.
class FunctionName {
public:
  /// NAME of at most 47 characters; a longer one is no constant expression.
  explicit constexpr FunctionName(const char* name) {
    for (int i = 0; name[i] != 0; ++i)
      text_[i] = name[i];
    if (text_[sizeof text_ - 1] != 0)
      __builtin_unreachable();
  }
  const char* c_str() const { return text_; }

private:
  char text_[48] = {};
};

/// True if the module is (a part of) the library that hooks call `library`.
bool is_of_library(const Module& module, const char* library);

} // namespace detshim
