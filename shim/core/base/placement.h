// Where variables lie.
#pragma once

/// For what every process writes as it starts, and again after each fork. Kept together, and beside the hook
/// table, which the loader has written to by then: the first write to each further page is a page fault at
/// every start and two at every fork, in the parent and in the child.
#define DETSHIM_STARTUP_DATA [[gnu::section(".data.startup")]]
