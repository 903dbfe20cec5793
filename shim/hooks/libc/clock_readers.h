// Where the user's own machine code reads a clock or an id.
//
// `std::mt19937 engine(time(nullptr))` takes its seed out of sight. The reading is seen: its place is kept,
// and written as the process ends, and `detshim log` looks whether the line there seeds something.
#pragma once

namespace detshim {

/// Keeps the place of a reading, if the code at `caller` is the user's, or was called by it in the C++
/// library (std::chrono). At most 64 places a process; the further ones of a program that reads clocks in
/// ever new places are not kept. Neither allocates nor writes.
void note_clock_reader(const void* caller);

/// Writes them, if the process has a log. Once in a process.
void record_clock_readers();

} // namespace detshim
