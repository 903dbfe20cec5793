// Copies from a GPU to the host, on their way into fingerprints (prints.h). What an asynchronous copy brings
// is there once the program itself has waited for it, so it is hashed then: nothing here waits, or makes the
// program wait, for a GPU.
//
// Streams and events are named by numbers that the hooks choose.
#pragma once

#include "core/fingerprint/prints.h"

namespace detshim {

/// Memory of the host: `slices` times `rows` rows of `width` bytes.
struct HostArea {
  const void* start = nullptr;
  size_t width = 0;
  size_t rows = 1, pitch = 0; ///< bytes from one row to the next
  size_t slices = 1, slice_pitch = 0;

  size_t size() const { return width * rows * slices; }
};

/// A copy that has ended: what it brought is there.
void add_copy(Print* print, const HostArea& area);

/// A copy that was put into a stream of that context.
void add_copy_in_stream(Print* print, const HostArea& area, uint64_t stream, uint64_t context);

/// The event stands for what was put into the stream before.
void note_event(uint64_t event, uint64_t stream);
/// What is put into the stream from now on comes after the event.
void note_wait(uint64_t stream, uint64_t event);

/// The program knows that all of it has ended. One load where no copy is under way.
void end_copies_of_stream(uint64_t stream);
void end_copies_of_event(uint64_t event);
void end_copies_of_context(uint64_t context);

/// The process ends: what the program never waited for is recorded as not read.
void end_copies();

} // namespace detshim
