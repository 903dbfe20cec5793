// Files that are read and written whole.
#pragma once

#include "support/descriptor.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace detshim {

namespace fs = std::filesystem;

/// The first `most` bytes of a regular file; empty where it cannot be read. Other kinds of files
/// are not opened, since that alone makes some devices do something.
std::string read_file(const std::string& file, std::size_t most = 64U << 20);

/// The first line of such a file.
std::string first_line(const std::string& file);

/// A regular file, open for reading, with these flags too; not open where it is another kind of
/// file.
OwnedDescriptor open_regular(const std::string& file, int flags = 0);

/// Why a file or a folder cannot be read: "Permission denied"; empty where it can.
std::string why_unreadable(const std::string& place);

/// Throws UsageError with it.
void require_readable(const std::string& place);

/// What is left to read, at most so many bytes, or up to an error.
std::string read_all(int descriptor, std::size_t most = ~std::size_t{0});

/// SHA-256 of files in hexadecimal, by coreutils' sha256sum, which has the processor's
/// instructions; all texts are empty where one cannot be read.
std::vector<std::string> sha256_of(const std::vector<std::string>& files);

/// Writes all of it. Returns 0, or the error.
int write_all(int descriptor, std::string_view text);

/// Puts the text in the place of a file (in `folder`, or AT_FDCWD), which is there whole or as it
/// was before: no link is followed, and what was there is gone. Returns 0, or the error.
int replace_file(int folder, const std::string& file, std::string_view text, mode_t mode);

/// The same where a user has named the file: a link stays, and leads to the new one; a pipe or a
/// device is written to.
int put_where_asked(const std::string& file, std::string_view text, mode_t mode);

} // namespace detshim
