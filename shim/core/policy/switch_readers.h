// Who asks, by getenv, for variables whose names speak of determinism and that the library does not
// set. Many such switches do nothing: misspelt, of another library, or set once they have been
// read.
#pragma once

namespace detshim {

/// "NCCL_DETERMINISTIC", "PYTHONHASHSEED": by the name, or by an entry NAME=value.
bool is_switch(const char* text);

/// Notes that the program asked for that switch from there. The first readers are kept, a few of
/// them; no more than comparisons for one that is known. The first switches have room, no more than
/// sixteen of them.
void note_switch_read(const char* name, const void* caller);

/// By the name, or by an entry NAME=value. True for those without room as well.
bool was_switch_read(const char* text);

/// Calls visit(name, callers, number of them, data) for each switch that was asked for.
void each_read_switch(void (*visit)(const char* name, const void* const* callers, int count,
                                    void* data),
                      void* data);

} // namespace detshim
