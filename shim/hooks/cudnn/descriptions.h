// What operation graphs are, in words: how recorded tuning (DETSHIM_AUTOTUNE=record:FILE and
// replay:FILE) knows one again in another run, and how fingerprints tell calls apart
// (DETSHIM_FINGERPRINT=calls). Put together from what programs set in cuDNN's backend descriptors;
// nothing is followed without one of these.
#pragma once

#include "common/text.h"
#include "hooks/cudnn/backend.h"

namespace detshim::cudnn {

/// Follows an attribute that was set. What differs between two runs of a program is left out:
/// identifiers of tensors, addresses, seeds.
void describe(const void* descriptor, Name name, Type type, int64_t count, const void* elements);

/// Bytes of a graph's name with its terminating null.
inline constexpr size_t problem_size = 900;

/// Writes what a graph of these operations is: their names, as far as there is room, and a hash of
/// everything that was set. False where one of them is not known.
bool describe_graph(const Descriptor* operations, int64_t count, TextWriter& text);

/// The hash at the end of a name that describe_graph() gave.
const char* hash_of_problem(const char* name);

/// The descriptor is about to be destroyed.
void forget_description(const void* descriptor);

} // namespace detshim::cudnn
