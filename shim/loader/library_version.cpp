// Decides which version of a CUDA library answers, by asking the library's own function: the one in
// the object behind the hook, or else any that is loaded under that name. The answer holds until an
// object is unloaded.
//
// It cannot know a version where the library has no such function, or where that fails: the record
// then has none.
#include "loader/library_version.h"

#include "common/cuda_libraries.h"
#include "core/base/generations.h"
#include "core/log/records.h"
#include "loader/real.h"

namespace detshim {
namespace {

struct Said {
  uint32_t recorded_in; // the process that has the record, by its generation
  uint64_t known_in;    // 1 + the epoch of `version`
  char version[24];
};
constinit Said said[cuda_library_count] = {};

void ask_version(const Hook& hook, const char* name, TextWriter& text) {
  const void* function = *name != 0 ? find_sibling(hook, name) : nullptr;
  if (function == nullptr && *name != 0)
    function = find_symbol(name); // libcudnn_ops has it in a sister
  if (function == nullptr)
    return;
  auto* const get = const_cast<void*>(function);
  int number = 0;
  if (same_text(name, "cudnnGetVersion")) {
    text.add(uint64_t{reinterpret_cast<size_t (*)()>(get)()});
  } else if (!ends_with(name, "GetProperty")) { // 0 is success in every library
    if (reinterpret_cast<int (*)(int*)>(get)(&number) == 0)
      text.add(static_cast<uint64_t>(number));
  } else {
    for (int part = 0; part < 3;
         ++part) { // libraryPropertyType: MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
      if (reinterpret_cast<int (*)(int, int*)>(get)(part, &number) != 0)
        return;
      if (part != 0)
        text.add('.');
      text.add(static_cast<uint64_t>(number));
    }
  }
}

} // namespace

void add_version(const Hook& hook, TextWriter& text) {
  if (hook.cuda_library == 0)
    return;
  Said& library = said[hook.cuda_library - 1];
  const uint64_t epoch = uint64_t{draw_epoch()} + 1;
  if (__atomic_load_n(&library.known_in, __ATOMIC_ACQUIRE) != epoch) {
    Text<sizeof library.version> version;
    ask_version(hook, cuda_libraries[hook.cuda_library - 1].version_function, version);
    // Threads that come here together write the same.
    __builtin_memcpy(library.version, version.c_str(), version.length() + 1);
    __atomic_store_n(&library.known_in, epoch, __ATOMIC_RELEASE);
  }
  text.add(library.version);
}

void say_library(const Hook& hook) {
  if (hook.cuda_library == 0 || said[hook.cuda_library - 1].recorded_in == generation())
    return;
  said[hook.cuda_library - 1].recorded_in = generation();
  Module module;
  if (!find_module(hook.real, module))
    return;
  char path[600];
  module_path(module, path, sizeof path);
  Text<32> version;
  add_version(hook, version);
  record_library(hook.info().library, path, version.length() != 0 ? version.c_str() : nullptr);
}

} // namespace detshim
