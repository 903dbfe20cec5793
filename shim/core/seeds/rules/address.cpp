// A program may seed itself by an address: of a variable, of the thread, of what malloc gave. Where
// the layout is random that is another number in each run, and here it is known by lying where the
// thread, its stack, the heap or the calling object lie.
//
// What 32 bits leave of an address may be any number, so there only narrow ranges count. This
// cannot know an address that was shifted or hashed: that is left to the order.
#include "common/sys.h"
#include "core/identity/thread.h"
#include "core/seeds/rules/rules.h"
#include "core/seeds/seed_order.h"

#include <unistd.h>

namespace detshim {
namespace {

/// The value, as addresses are cut to its bits.
class Address {
public:
  explicit Address(const PassedSeed& seed)
      : value_(seed.value), mask_(~uint64_t{0} >> (64 - seed.bits)) {}

  bool is_within(uintptr_t first, uint64_t size) const { return ((value_ - first) & mask_) < size; }

private:
  uint64_t value_;
  uint64_t mask_;
};

// All 64 bits of an address are nothing else. What 32 bits leave of it may be any number, so there
// only narrow ranges count.
bool is_whole(const PassedSeed& seed) { return seed.bits != 32; }

bool is_of_thread(const PassedSeed& seed, const Address& address) {
  const char here = 0;
  const uint64_t stack = is_whole(seed) ? uint64_t{8} << 20 : uint64_t{64} << 10;
  return address.is_within(reinterpret_cast<uintptr_t>(__builtin_thread_pointer()), 1) ||
         address.is_within(reinterpret_cast<uintptr_t>(&here), stack);
}

constexpr uint64_t reach = 1 << 20;

/// Of the heap that malloc begins with.
bool is_of_heap(const Address& address) {
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0)); // libc has it in memory
  return address.is_within(end - reach, reach);
}

bool is_of_caller(const PassedSeed& seed, const Address& address) {
  const Module* const module = seed.caller.module();
  if (module == nullptr)
    return false;
  for (int i = 0; i < module->header_count; ++i) {
    const ElfW(Phdr)& header = module->headers[i];
    const bool counts_whole = is_whole(seed) || header.p_memsz < reach;
    if (header.p_type == PT_LOAD &&
        address.is_within(module->base + header.p_vaddr, counts_whole ? header.p_memsz : reach))
      return true;
  }
  return false;
}

bool is_address(const PassedSeed& seed) {
  if (seed.is_small() || (seed.bits == 64 && seed.value >> 32 == 0))
    return false;
  const Address address(seed);
  if (is_of_thread(seed, address))
    return true;
  // In a process with others beside it the narrowest ranges alone.
  if (!is_whole(seed) && !is_order_fixed())
    return false;
  return is_of_heap(address) || is_of_caller(seed, address);
}

/// Where addresses are the same in every run, one is a fixed number like others; and the stack's
/// begin right below 2^32, cut to 32 bits: -1 is no address.
bool are_addresses_fixed() {
  enum : uint8_t { unknown, no, yes };
  static constinit uint8_t known = unknown;
  if (known == unknown)
    known = sys::has_fixed_layout() ? yes : no;
  return known == yes;
}

} // namespace

bool rules::address(const PassedSeed& seed, Explanation& made) {
  constexpr uint64_t label_address = 0x61646472;
  if (are_addresses_fixed() || !is_address(seed))
    return false;
  const Thread& thread = this_thread();
  made.origin = Origin::address;
  made.owner_key = thread.key;
  made.owner_is_first = thread.is_first;
  made.instance = derive(derive(thread.key, label_address), seed.value);
  return true;
}

} // namespace detshim
