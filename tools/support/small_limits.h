// The user's limits (ulimit) are for the program. This command goes on under them where it can.
#pragma once

#include <functional>
#include <string>

namespace detshim {

/// Returns work(). Where the limit leaves less stack than this command takes (`ulimit -s 64`), on
/// another one, in the same thread.
int with_enough_stack(const std::function<int()>& work);

/// From now on a file that may grow no further (`ulimit -f`) is an error where it is written. Else
/// SIGXFSZ ends the process without a word.
void outlive_size_limit();

/// As it was: for the program that this process becomes.
void heed_size_limit();

/// " (`ulimit -n 4` allows no more)" where an error is one that the user's limit leads to; else
/// empty.
std::string limit_behind(int error);

} // namespace detshim
