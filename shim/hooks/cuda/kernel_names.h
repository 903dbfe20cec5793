// Names of kernels by what stands for them in a launch, for runtimes and drivers that cannot be asked.
#pragma once

#include "common/sys.h"
#include "common/text.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// `Size` bytes of zeros from the kernel, had when they are first needed: most programs count no kernels.
template <size_t Size>
class PagesOnDemand {
public:
  /// The pages, or nullptr if none were needed yet.
  char* known() const { return __atomic_load_n(&pages_, __ATOMIC_ACQUIRE); }

  /// The pages, or nullptr if there is no memory.
  char* get() {
    char* pages = known();
    if (pages != nullptr) return pages;
    auto* fresh = static_cast<char*>(sys::map(Size));
    if (fresh == nullptr) return nullptr;
    if (__atomic_compare_exchange_n(&pages_, &pages, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return fresh;
    sys::unmap(fresh, Size); // another thread was first
    return pages;
  }

private:
  char* pages_ = nullptr;
};

/// A bounded map from addresses to names, without locks: kernels are registered by static constructors of
/// every library, and looked up at each launch. Where it is full, further kernels are not remembered.
/// Constant-initialised.
template <size_t Size>
class KernelNames {
  static_assert((Size & (Size - 1)) == 0, "a power of two");

public:
  /// Remembers the name, which must stay where it is as long as the kernel can be launched. A later name for
  /// the same address wins: what was there was unloaded.
  void remember(const void* kernel, const char* name) {
    auto* entries = reinterpret_cast<Entry*>(pages_.get());
    if (entries == nullptr || kernel == nullptr || name == nullptr) return;
    for (size_t i = 0; i < reach; ++i) {
      Entry& entry = entries[place(kernel, i)];
      const void* known = __atomic_load_n(&entry.kernel, __ATOMIC_ACQUIRE);
      if (known == nullptr && __atomic_compare_exchange_n(&entry.kernel, &known, kernel, false,
                                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        known = kernel;
      if (known != kernel) continue;
      __atomic_store_n(&entry.name, name, __ATOMIC_RELEASE);
      return;
    }
  }

  /// The name, or nullptr.
  const char* find(const void* kernel) const {
    const auto* entries = reinterpret_cast<const Entry*>(pages_.known());
    for (size_t i = 0; entries != nullptr && i < reach; ++i) {
      const Entry& entry = entries[place(kernel, i)];
      const void* known = __atomic_load_n(&entry.kernel, __ATOMIC_ACQUIRE);
      if (known == kernel) return __atomic_load_n(&entry.name, __ATOMIC_ACQUIRE);
      if (known == nullptr) return nullptr;
    }
    return nullptr;
  }

private:
  struct Entry {
    const void* kernel;
    const char* name;
  };
  static constexpr size_t reach = 64; // entries that are looked at

  static size_t place(const void* kernel, size_t i) {
    return ((reinterpret_cast<uintptr_t>(kernel) * 0x9E3779B97F4A7C15 >> 32) + i) & (Size - 1);
  }

  PagesOnDemand<Size * sizeof(Entry)> pages_ = {};
};

/// Copies of texts that their owners may change, as many as fit.
template <size_t Size>
class TextStore {
public:
  /// The copy, or nullptr where no room is left.
  const char* keep(const char* text) {
    char* const texts = texts_.get();
    const size_t size = text_length(text) + 1;
    const size_t at = __atomic_fetch_add(&used_, size, __ATOMIC_RELAXED);
    if (texts == nullptr || size > Size || at > Size - size) return nullptr;
    __builtin_memcpy(texts + at, text, size);
    return texts + at;
  }

private:
  size_t used_ = 0;
  PagesOnDemand<Size> texts_ = {};
};

} // namespace detshim
