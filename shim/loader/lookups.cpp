// dlsym, dlvsym, dlopen, dlmopen, dlclose: how a program reaches a function without linking to it.
//
// A lookup in one object's handle is answered with our wrapper if the object's own function is the
// one that the wrapper stands in front of. Everything else goes on to libc by a jump (stubs_*.S),
// so RTLD_NEXT and RTLD_DEFAULT keep the meaning that they have for their caller.
#include "loader/lookups.h"

#include "common/text.h"
#include "core/base/cfi_rules.h"
#include "core/base/modules.h"
#include "core/log/file_uses.h"
#include "core/log/records.h"
#include "loader/coverage.h"
#include "loader/hook.h"

#include <dlfcn.h>

using namespace detshim;

DETSHIM_STUB(
    libc, void*, dlsym, (void* handle, const char* name), .action = Action::uncovered,
    .fields = {"symbol"_in, "file"_in},
    .summary =
        "Answers a lookup in a library's handle with the hook of that name; a second copy of "
        "a library is recorded.");
DETSHIM_STUB(
    libc, void*, dlvsym, (void* handle, const char* name, const char* version),
    .action = Action::uncovered, .fields = {"symbol"_in, "file"_in},
    .summary =
        "Answers a lookup in a library's handle with the hook of that name; a second copy of "
        "a library is recorded.");
DETSHIM_STUB(libc, void*, dlopen, (const char* path, int flags), .action = Action::replace,
             .fields = {"file"_in},
             .summary = "Takes RTLD_DEEPBIND away, which would let the library bypass every hook.");
DETSHIM_STUB(libc, void*, dlmopen, (long space, const char* path, int flags),
             .action = Action::uncovered, .fields = {"file"_in},
             .summary = "Recorded: a library in a namespace of its own bypasses every hook.");

extern "C" {

// Where the stubs jump. Set before the first jump by the functions below.
const void* detshim_real_dlsym = nullptr;
const void* detshim_real_dlvsym = nullptr;
const void* detshim_real_dlopen = nullptr;
const void* detshim_real_dlmopen = nullptr;

/// What a stub does with a lookup: returns `address` if `answered`, else asks the real function.
struct LookupAnswer {
  const void* address;
  uint64_t answered;
};
}

namespace {

constexpr LookupAnswer ask_the_real_one = {nullptr, 0};

void resolve(Hook& hook, const void*& target) {
  if (__atomic_load_n(&target, __ATOMIC_ACQUIRE) != nullptr)
    return;
  find_real(hook);
  __atomic_store_n(&target, hook.real, __ATOMIC_RELEASE);
}

void record_second_copy(const Hook& by, const char* name, const void* function,
                        const void* caller) {
  Module module;
  if (!find_module(function, module))
    return;
  record({by.info().library, by.info().name, by.info().fields}, Action::uncovered, caller,
         Reason::second_copy, {name, module.path});
}

/// A library that looks up its own parts wants those: answering with a wrapper would make it call
/// itself.
bool asks_for_its_own(const void* caller, const char* library) {
  Module asking;
  return find_module(caller, asking) && is_of_library(asking, library);
}

/// What to hand out for a function that was found under the hook's name.
const void* front(const Hook& by, Hook& hook, const char* name, const void* function,
                  const void* caller) {
  const Found what = adopt_real(hook, function);
  if (what == Found::second_copy && !options().off())
    record_second_copy(by, name, function, caller);
  return what == Found::fronted ? hook.wrapper() : function;
}

/// `lookup(handle)` is the real lookup of the same name in that handle, asked through `by`.
template <typename Lookup>
LookupAnswer answer(const Hook& by, void* handle, const char* name, const void* caller,
                    Lookup lookup) {
  if (name == nullptr || handle == RTLD_NEXT)
    return ask_the_real_one;
  Hook* hook = find_hook(name);
  // A hook that is switched off is answered all the same: one function has one address, however it
  // is found, and its wrapper hands calls through.
  if (hook == nullptr)
    note_lookup(name, caller);
  if (hook == nullptr || by.disabled)
    return ask_the_real_one;
  if (handle == RTLD_DEFAULT) {
    // The search finds our wrapper first. Where no library has the function, the program must hear
    // so: it is asking whether the library is there.
    if (hook->real == nullptr)
      find_real(*hook);
    return hook->real != nullptr ? ask_the_real_one : LookupAnswer{lookup(RTLD_NEXT), 1};
  }
  if (asks_for_its_own(caller, hook->info().library))
    return ask_the_real_one;

  const void* function = lookup(handle);
  if (function == nullptr || function == hook->wrapper())
    return {function, 1};
  return {front(by, *hook, name, function, caller), 1};
}

/// True for the name itself and its variants: cuMemAlloc, cuMemAlloc_v2, cuMemAlloc_v2_ptsz.
bool is_variant_of(const char* variant, const char* name) {
  const size_t length = text_length(name);
  return starts_with(variant, name) && (variant[length] == 0 || variant[length] == '_');
}

} // namespace

const void* detshim::answer_entry_point(const Hook& by, const char* library, const char* name,
                                        const void* function, const void* caller, bool& unseen) {
  unseen = false;
  Module module;
  if (!find_module(function, module) || is_own(module) || asks_for_its_own(caller, library))
    return function;
  for (Hook& hook : HookTable{}) {
    if (!same_text(hook.info().library, library) || !is_variant_of(hook.info().name, name))
      continue;
    if (module.symbol(hook.info().name) == function)
      return unseen = false, front(by, hook, name, function, caller);
    unseen = true;
  }
  return function;
}

extern "C" {

LookupAnswer detshim_prepare_dlsym(void* handle, const char* name, const char*,
                                   const void* caller) {
  resolve(hooks::dlsym, detshim_real_dlsym);
  return answer(hooks::dlsym, handle, name, caller, [name](void* in) -> const void* {
    return reinterpret_cast<hooks::dlsym_signature*>(const_cast<void*>(detshim_real_dlsym))(in,
                                                                                            name);
  });
}

LookupAnswer detshim_prepare_dlvsym(void* handle, const char* name, const char* version,
                                    const void* caller) {
  resolve(hooks::dlvsym, detshim_real_dlvsym);
  return answer(hooks::dlvsym, handle, name, caller, [name, version](void* in) -> const void* {
    return reinterpret_cast<hooks::dlvsym_signature*>(const_cast<void*>(detshim_real_dlvsym))(
        in, name, version);
  });
}

int detshim_prepare_dlopen(const char* path, int flags, const void* caller) {
  resolve(hooks::dlopen, detshim_real_dlopen);
  if ((flags & RTLD_DEEPBIND) == 0 || options().off() || hooks::dlopen.disabled)
    return flags;
  const Subject subject = {"libc", "dlopen", hooks::dlopen_info.fields};
  const char* file = path != nullptr ? path : "";
  if (options().mode == Mode::observe) {
    record(subject, Action::uncovered, caller, Reason::deepbind, {file});
    return flags;
  }
  record(subject, Action::replace, caller, Reason::deepbind, {file});
  return flags & ~RTLD_DEEPBIND;
}

void detshim_prepare_dlmopen(const char* path, const void* caller) {
  resolve(hooks::dlmopen, detshim_real_dlmopen);
  if (options().off() || hooks::dlmopen.disabled)
    return;
  record({"libc", "dlmopen", hooks::dlmopen_info.fields}, Action::uncovered, caller,
         Reason::own_namespace, {path != nullptr ? path : ""});
}
}

DETSHIM_HOOK(libc, int, dlclose, (void* handle), .action = Action::observe,
             .summary = "Forgets what was decided for code that may be gone now.") {
  DETSHIM_ENTER(dlclose);
  // What is loaded to the end is in the log by its build.
  if (handle != nullptr)
    note_file_use(FileUse::read, static_cast<const link_map*>(handle)->l_name);
  const int status = call.real(handle);
  forget_call_sites();
  forget_cfi_rules();
  forget_unloaded();
  return status;
}
