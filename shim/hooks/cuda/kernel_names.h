// Names of kernels by what stands for them in a launch, for runtimes that cannot be asked.
#pragma once

#include "core/base/mapped.h"
#include "hooks/support/shared_use.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// A bounded map from addresses to names, without locks: kernels are registered by static constructors of
/// every library, and looked up at each launch. Where it is full, further kernels are not remembered. Mapped
/// at its first use: most programs count no kernels.
template <size_t Size>
class KernelNames {
public:
  /// Remembers the name, which must stay where it is as long as the kernel can be launched. A later name for
  /// the same address wins: what was there was unloaded.
  void remember(const void* kernel, const char* name) {
    auto* const names = names_.get();
    auto* const entry = names != nullptr && name != nullptr ? names->insert(kernel) : nullptr;
    if (entry != nullptr)
      __atomic_store_n(&entry->value, reinterpret_cast<uintptr_t>(name), __ATOMIC_RELEASE);
  }

  /// The name, or nullptr.
  const char* find(const void* kernel) const {
    auto* const names = names_.peek();
    const auto* const entry = names != nullptr ? names->find(kernel) : nullptr;
    return entry == nullptr ? nullptr
                            : reinterpret_cast<const char*>(__atomic_load_n(&entry->value, __ATOMIC_ACQUIRE));
  }

private:
  Mapped<ObjectTable<Size, 64>> names_ = {};
};

} // namespace detshim
