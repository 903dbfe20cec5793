// For libraries of which a process may hold several copies at once, each for its own users: the
// function that one caller would have reached without us.
//
// OpenMP runtimes are such: wheels bring their own, and what a region asks inside
// (omp_get_thread_num) is not hooked and goes to the caller's. A call that we handed to another
// runtime would find no team there.
#pragma once

#include "loader/hook.h"
#include "loader/once_in_thread.h"

namespace detshim {

/// The function behind `hook` for the object that holds `caller`, in this order: of the copy that
/// the object's other references are bound to already; of the global scope, as the loader would
/// bind it now; of what the object was linked to. nullptr if none of them has it.
const void* real_of_caller(const Hook& hook, const void* caller);

/// Call, with the caller's own copy behind it.
template <typename Signature>
class CallOfCopy : public Call<Signature> {
public:
  CallOfCopy(Hook& hook, const void* caller) : Call<Signature>(hook, caller) {
    if (const void* own = real_of_caller(hook, caller))
      this->real = reinterpret_cast<Signature*>(const_cast<void*>(own));
  }

  /// A sibling symbol of this function in the caller's copy, or nullptr. `name` is a literal.
  /// Looked up once in a thread: a loop asks for each of its chunks.
  template <typename Function>
  Function* sibling(const char* name) const {
    const auto* const own = reinterpret_cast<const void*>(this->real);
    const auto find = [&] {
      Module copy;
      const void* const sibling = find_module(own, copy) ? copy.symbol(name) : nullptr;
      return uint64_t{reinterpret_cast<uintptr_t>(sibling)};
    };
    return reinterpret_cast<Function*>(once_in_thread(name, own, find));
  }
};

} // namespace detshim

/// Opens the guard `call` of a hook's body, for a library of which there may be several copies.
#define DETSHIM_ENTER_COPY(NAME)                                                                   \
  ::detshim::CallOfCopy<::detshim::hooks::NAME##_signature> call(::detshim::hooks::NAME,           \
                                                                 __builtin_return_address(0))
