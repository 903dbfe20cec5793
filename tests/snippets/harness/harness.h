// Shared by the two hosts of a snippet: the executable (main.cpp) and the library
// (constructor.cpp).
#pragma once

enum class Lookup { linked, dlsym, dlvsym };
extern Lookup lookup;

/// Writes what the snippet has emitted to stdout.
void print_output();
