// SHA-256 of files, by coreutils' sha256sum: it has the processor's instructions, and stays known to be
// right.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// In hexadecimal, in the order of the files; empty texts for all of them where one cannot be read, or there
/// is no sha256sum.
std::vector<std::string> sha256_of(const std::vector<std::string>& files);

} // namespace detshim
