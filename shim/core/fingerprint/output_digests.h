// Digests of what leaves the program (DETSHIM_FINGERPRINT=host), and of what library calls leave on
// a GPU (calls): hashes of contents, by the call site that handed them out, as `digest` records of
// the log. Two runs that compute something else differ there first. Format: docs/LOG_FORMAT.md,
// "digest".
//
// The first digests of a call site have a record each; later ones share records that cover ever
// more of them, so a program that prints a million times writes some five hundred records for it.
#pragma once

#include "common/describe.h"
#include "common/reasons.h"
#include "core/fingerprint/content_hash.h"
#include "core/policy/options.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// What one thread hands out in one way at one call site, or a stream of a GPU: a sequence of
/// digests.
struct DigestSequence;

/// What had happened when something was handed out.
struct DigestMoment {
  uint64_t launches; ///< of kernels, by this process
  uint64_t draws,
      drawn; ///< by the calling thread from our own streams, and a hash of what they gave
};
DigestMoment digest_moment();

struct OutputDigest {
  size_t bytes;
  uint64_t hash;
  Reason why_unread = Reason::none; ///< other than none: the contents could not be read
  bool has_inputs = false;
  uint64_t inputs = 0; ///< a hash of what it was made of
};

/// That of the calling thread at `caller`, a return address; nullptr where no more can be kept.
/// `to`, a constant: where the contents go. Preserves errno.
DigestSequence* digests_at(const HookInfo& function, const char* to, const void* caller);

/// That of a stream of a GPU, by a number of its own: what runs in it is one sequence, whichever
/// threads put it there. `shape`: the arguments that the contents depend on, in words; calls that
/// differ in them have sequences of their own.
DigestSequence* digests_of_stream(const HookInfo& function, const char* to, const void* caller,
                                  uint64_t stream, const char* shape);

/// One more. Nothing for nullptr.
void add_digest(DigestSequence* sequence, const OutputDigest& digest,
                const DigestMoment& moment = digest_moment());

/// A copy under way keeps its sequence from being given to another call site.
void hold_digests(DigestSequence* sequence);
void release_digests(DigestSequence* sequence);

/// The calling thread ends: writes what was not written of its digests.
void leave_digests();
/// The process ends or turns into another program: the same for all its threads.
void write_digests();

/// One more kernel was launched.
void note_launch();

namespace detail {
void note_drawn(const void* data, size_t size);
}

/// Takes note of what our own stream has given.
inline void note_drawn(const void* data, size_t size) {
  if (takes_fingerprints())
    detail::note_drawn(data, size);
}
/// The same on the way of a value that is returned.
template <typename Value>
Value drawn(Value value) {
  note_drawn(&value, sizeof value);
  return value;
}

} // namespace detshim
