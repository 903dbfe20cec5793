// Copies from a GPU to the host, and outputs of library calls that a kernel hashes there, on their
// way into fingerprints (output_digests.h). What they bring is there once the program itself has
// waited for it, so it is read then: nothing here waits, or makes the program wait, for a GPU. What
// was put into one stream comes in that order.
//
// Streams and events are named by numbers that the hooks choose.
#pragma once

#include "common/reasons.h"
#include "core/fingerprint/hash_slots.h"
#include "core/fingerprint/output_digests.h"

namespace detshim {

/// Memory of the host: rows of `width` bytes.
struct HostArea {
  const void* start = nullptr;
  size_t width = 0;
  size_t rows = 1, pitch = 0; ///< bytes from one row to the next

  size_t size() const { return width * rows; }
};

/// A copy that has ended: what it brought is there.
void add_copy(DigestSequence* sequence, const HostArea& area);

/// A copy that was put into a stream of that context.
void add_copy_in_stream(DigestSequence* sequence, const HostArea& area, uint64_t stream,
                        uint64_t context);
/// One of so many bytes that cannot be read, and why (a constant).
void add_unread_in_stream(DigestSequence* sequence, size_t bytes, Reason why, uint64_t stream,
                          uint64_t context);

/// What a library call left on the GPU, and what went in, if the call is to report it.
struct Output {
  size_t bytes = 0;
  PendingHash output, inputs;
  uint64_t numbers = 0; ///< a hash of those of the host's that went in; 0: none did
  bool has_inputs = false;
};
/// Its slots are read, or given back.
void add_output_in_stream(DigestSequence* sequence, const Output& output, uint64_t stream,
                          uint64_t context);

/// The event represents what was put into the stream before.
void note_event(uint64_t event, uint64_t stream);
/// What is put into the stream from now on comes after the event.
void note_wait(uint64_t stream, uint64_t event);

/// The program knows that all of it has ended. One load where no copy is under way.
void end_transfers_of_stream(uint64_t stream);
void end_transfers_of_event(uint64_t event);
void end_transfers_of_context(uint64_t context);

/// The process ends: of what the program never waited for, hashes that have come are read, and the
/// rest is recorded as not read.
void end_transfers();

} // namespace detshim
