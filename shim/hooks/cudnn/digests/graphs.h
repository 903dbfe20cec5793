// The digest of a plan of cuDNN's operation graphs: what the graph reads and writes is put together
// from what programs set in backend descriptors, since the library gives back neither what an
// operation was given nor what a variant pack holds (seen with cuDNN 9.19). Nothing is followed
// without DETSHIM_FINGERPRINT=calls.
//
// A tensor that some operation writes and that is not virtual is an output; one that operations
// only read is an input. Whatever is not known of an operation or a tensor makes the graph's
// outputs unread.
#pragma once

#include "hooks/cudnn/library.h"
#include "hooks/digests/call_digest.h"

namespace detshim::cudnn {

/// Follows an attribute that a program has set in a tensor, an operation or a variant pack.
void follow_operands(const void* descriptor, Name name, Type type, int64_t count,
                     const void* elements);
/// The descriptor is about to be destroyed.
void forget_operands(const void* descriptor);

/// Keeps what the operations read and write under the graph's number. `hash`: of what is set in the
/// operations, as a text; it becomes part of what the graph is.
void keep_operands(uint32_t graph, const Descriptor* operations, int64_t count, const char* hash);

/// Adds a graph's tensors that have memory, with their data as the variant pack says. `graph`: its
/// number, 0 where that is not known; `engine`: that of its plan, -1 where it is not known.
void describe_plan(CallDigest& digest, uint32_t graph, int64_t engine, const void* variant_pack);

} // namespace detshim::cudnn
