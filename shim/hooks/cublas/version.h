// How cuBLAS and cuBLASLt say their version: the same function under two names.
#pragma once

#include "abi/cublas.h"
#include "loader/hook.h"

namespace detshim {

/// Appends "13.1.0"; less where the library cannot be asked. `getter` is its cublas…GetProperty.
template <typename Call>
void add_cublas_version(const Call& call, const char* getter, TextWriter& text) {
  using abi::libraryProperty;
  auto* get = call.template beside<abi::cublasStatus(libraryProperty, int*)>(getter);
  int number = 0;
  for (const auto property :
       {libraryProperty::major_version, libraryProperty::minor_version, libraryProperty::patch_level}) {
    if (get == nullptr || get(property, &number) != abi::cublasStatus::success) return;
    if (property != libraryProperty::major_version) text.add('.');
    text.add(static_cast<uint64_t>(number));
  }
}

} // namespace detshim
