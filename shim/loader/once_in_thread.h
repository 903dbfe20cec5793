// What a thread has found out about an object or a piece of code, kept until that may be gone.
#pragma once

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/log/records.h"

namespace detshim {

/// What find() gives, a number or a pointer, asked once in a thread for each address `about` and
/// `question`, another address, until an object is unloaded.
template <typename Find>
uint64_t once_in_thread(const void* question, const void* about, Find find) {
  const uint64_t key = mix(mix(reinterpret_cast<uintptr_t>(about), draw_epoch()),
                           reinterpret_cast<uintptr_t>(question));
  Table<8>& call_sites = call_sites_of_this_thread();
  if (const uint64_t* const known = call_sites.find(key))
    return *known;
  const uint64_t answer = find();
  const sys::SignalsBlocked no_signals; // a handler may ask meanwhile
  return call_sites.insert(key) = answer;
}

} // namespace detshim
