// Names for children that libc makes where the fork handlers and the hooks of exec do not come by.
#pragma once

#include "core/base/lock.h"

namespace detshim {

/// While it lives, the published variable names a child that libc makes and executes by itself (popen). One
/// at a time: a second thread waits.
class HiddenChild {
public:
  HiddenChild();
  ~HiddenChild();
  HiddenChild(const HiddenChild&) = delete;
  HiddenChild& operator=(const HiddenChild&) = delete;

private:
  Turn turn_;
};

/// Around a call that forks without running the fork handlers (_Fork, clone): names the child as they would.
class UnseenFork {
public:
  UnseenFork();
  ~UnseenFork(); ///< in the child too
  UnseenFork(const UnseenFork&) = delete;
  UnseenFork& operator=(const UnseenFork&) = delete;
};

} // namespace detshim
