// The order in which a process passes its seeds: where it is the same in every run, a place in it
// names a seed.
#pragma once

#include <cstdint>

namespace detshim {

/// True if the order in which the calling thread seeds is the same in every run, and nobody else of
/// the run can mean one of its values: it is the first thread of a process that is alone.
bool is_order_fixed();

/// What a value is named by that has its seed by its place in the order.
uint64_t instance_in_order(uint64_t value);

} // namespace detshim
