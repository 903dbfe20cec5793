// The entries of a folder, read by the kernel's own call: opendir allocates, and is a hook.
#pragma once

#include "common/sys.h"

#include <cstdint>

namespace detshim {

/// Calls visit(name) for each entry of an open folder until it returns true.
template <typename Visit>
void each_entry(int folder, Visit visit) {
  struct Entry { // linux_dirent64, getdents(2)
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[1];
  };
  alignas(8) char block[4096];
  for (;;) {
    const long size = sys::call(SYS_getdents64, folder, sys::address(block), sizeof block);
    if (size <= 0)
      return;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(block + at);
      at += entry->length;
      if (visit(entry->name))
        return;
    }
  }
}

} // namespace detshim
