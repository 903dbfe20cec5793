// What is done beside something else where there can be a further thread, and after it where there
// can be none.
#pragma once

#include <future>
#include <utility>

namespace detshim {

/// Where the user's limits (`ulimit -v`, `ulimit -u`) leave no place for a thread, get() does the
/// work.
template <typename Work>
auto beside(Work work) {
  return std::async(std::launch::async | std::launch::deferred, std::move(work));
}

} // namespace detshim
