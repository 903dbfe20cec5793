#include "core/base/generations.h"

#include "common/sys.h"
#include "core/base/placement.h"

#include <sys/mman.h>

namespace detshim {

[[gnu::section(".bss.generation")]] constinit detail::GenerationPage detail::generation_page = {};

namespace {

/// The last ones of this process and those before it. The page, which says the present ones, is
/// wiped in a child.
struct LastBegun {
  uint32_t generation;
  uint32_t epoch;
};
DETSHIM_STARTUP_DATA constinit LastBegun last_begun = {};

} // namespace

void forget_call_sites() {
  __atomic_store_n(&detail::generation_page.draw_epoch,
                   __atomic_add_fetch(&last_begun.epoch, 1, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
}

void begin_generation() {
  forget_call_sites();
  __atomic_store_n(&detail::generation_page.generation, ++last_begun.generation, __ATOMIC_RELEASE);
}

uint32_t generations_begun() { return last_begun.generation; }

void wipe_generation_in_children() {
  sys::call(SYS_madvise, sys::address(&detail::generation_page), sizeof detail::generation_page,
            MADV_WIPEONFORK);
}

void touch_generation() { __atomic_store_n(&detail::generation_page.touched, 1, __ATOMIC_RELAXED); }

} // namespace detshim
