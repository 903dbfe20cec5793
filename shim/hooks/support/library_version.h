// Records once a process which CUDA library answers, in which version.
#pragma once

#include "abi/library_types.h"
#include "loader/hook.h"

namespace detshim {

/// Writes the `library` record of a hook's library the first time that one of its hooks is called in a
/// process. `recorded_in` is the library's own: the process that has the record, by its generation;
/// `version(text)` appends what the library tells of itself.
template <typename Version>
void record_library_once(const Hook& hook, uint32_t& recorded_in, Version version) {
  if (recorded_in == generation()) return;
  recorded_in = generation();
  Module module;
  if (!find_module(hook.real, module)) return;
  char path[600];
  module_path(module, path, sizeof path);
  Text<32> text;
  version(text);
  record_library(hook.info->library, path, text.length() != 0 ? text.c_str() : nullptr);
}

// What follows appends nothing where the library cannot be asked. Of every CUDA library's status, 0 is
// success.

/// Appends the number of a function such as curandGetVersion(int*): "10400".
template <typename Call>
void add_version_number(const Call& call, const char* getter, TextWriter& text) {
  auto* get = call.template beside<int(int*)>(getter);
  int version = 0;
  if (get != nullptr && get(&version) == 0) text.add(static_cast<uint64_t>(version));
}

/// Appends the parts of a function such as cublasGetProperty(libraryPropertyType, int*): "13.1.0".
template <typename Call>
void add_version_parts(const Call& call, const char* getter, TextWriter& text) {
  using abi::libraryProperty;
  auto* get = call.template beside<int(libraryProperty, int*)>(getter);
  int number = 0;
  for (const auto property :
       {libraryProperty::major_version, libraryProperty::minor_version, libraryProperty::patch_level}) {
    if (get == nullptr || get(property, &number) != 0) return;
    if (property != libraryProperty::major_version) text.add('.');
    text.add(static_cast<uint64_t>(number));
  }
}

} // namespace detshim
