// Where variables lie.
#pragma once

/// For what every process writes as it starts, and again after each fork. Kept together, in the
/// page that the loader has written to by then (startup_order.ld): the first write to each further
/// page is a page fault at every start and two at every fork, in the parent and in the child.
#define DETSHIM_STARTUP_DATA [[gnu::section(".data.startup")]]

/// The same for arrays of which most processes use the beginning: they share a page that has no
/// file behind it.
#define DETSHIM_STARTUP_ROOM [[gnu::section(".bss.startup")]]
