// Call sites of clocks as users name them, for DETSHIM_FREEZE.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// True for a line ("train.py:7") and for a call site in a file ("libfoo.so+0x1234").
bool is_place(const std::string& text);

/// The library's names for them: a line of a program with debug information ("train.cpp:12")
/// becomes the ranges of its code, behind its name and a "="; all others stay as they are. The
/// lines of the program and of the libraries of its own that it is linked with are known.
std::string frozen_places(const std::vector<std::string>& places, const std::string& program);

/// Where the runs of a log folder read a clock or an id in the user's code.
std::vector<std::string> clock_places_of(const std::string& log_folder);

} // namespace detshim
