// What graphs copy to the host: said at their launches, not looked into.
#pragma once

#include "hooks/support/driver.h"

namespace detshim {

/// A graph was launched in the stream: one digest that cannot be had, of what it copies to the host, if the
/// graph was seen made and copies something.
void digest_graph_copies(const Hook& hook, const void* caller, abi::CUgraphExec graph, abi::CUstream stream);

/// True if memory that a copy by address reaches is the host's: the driver does not know it, or as its own.
bool is_of_host(const Hook& hook, const void* memory);

} // namespace detshim
