// The kernel that hashes what a library call has left on a GPU, for DETSHIM_FINGERPRINT=calls. What
// is loaded is its text for the driver, hash_kernel.ptx, which tools/scripts/make_hash_kernel makes
// of this file.
//
// A launch of any number of blocks adds up in memory of the kernel's own, a slot of it for each
// hash that is under way; the last block to end writes the result to the host and leaves the slot
// as it was.
#include "core/fingerprint/area_hash.h"

#define DETSHIM_GLOBAL __attribute__((global))
#define DETSHIM_SHARED __attribute__((shared))

namespace detshim {
namespace {

struct Slot {
  uint64_t sum, parts;
  uint64_t blocks; // that have ended
};

} // namespace
} // namespace detshim

DETSHIM_ON_DEVICE detshim::Slot detshim_hash_slots[detshim::hash_slots];
DETSHIM_SHARED uint64_t detshim_hash_sums[detshim::hash_threads];

extern "C" DETSHIM_GLOBAL void detshim_hash(const detshim::HashJob job) {
  using namespace detshim;
  const uint32_t thread = __nvvm_read_ptx_sreg_tid_x(), block = __nvvm_read_ptx_sreg_ctaid_x();
  const uint32_t threads = __nvvm_read_ptx_sreg_ntid_x(), blocks = __nvvm_read_ptx_sreg_nctaid_x();
  detshim_hash_sums[thread] =
      share_of_hash(job.area, static_cast<uint64_t>(block) * threads + thread,
                    static_cast<uint64_t>(threads) * blocks);
  for (uint32_t half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half)
      detshim_hash_sums[thread] += detshim_hash_sums[thread + half];
  }
  if (thread != 0)
    return;
  Slot& slot = detshim_hash_slots[job.slot];
  __atomic_fetch_add(&slot.sum, detshim_hash_sums[0], __ATOMIC_RELAXED);
  __nvvm_membar_gl();
  if (__atomic_fetch_add(&slot.blocks, uint64_t{1}, __ATOMIC_RELAXED) != blocks - 1)
    return;
  __nvvm_membar_gl();
  const uint64_t sum = __atomic_exchange_n(&slot.sum, uint64_t{0}, __ATOMIC_RELAXED);
  slot.parts = hash_with_part(slot.parts, job.part, sum);
  slot.blocks = 0;
  auto* const result = reinterpret_cast<volatile HashResult*>(job.result);
  result->hash = slot.parts;
  __nvvm_membar_sys();
  result->parts = job.part + 1;
}
