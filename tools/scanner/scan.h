// What LD_PRELOAD interception cannot see in programs and libraries.
#pragma once

#include "scanner/elf_file.h"

#include <cstddef>
#include <string>
#include <vector>

namespace detshim {

/// An instruction that draws, and where: in the form in which the log gives a caller.
struct FoundPlace {
  std::uint64_t offset = 0;
  DrawKind kind = DrawKind::rdrand;
  std::string function; ///< empty if no symbol tells
};

/// What was found in one file.
struct FileScan {
  std::string file;
  std::string not_reached; ///< why no preload reaches the program at all; empty if one does
  std::string left_alone;  ///< why what was found is no gap; empty if it is one
  std::vector<FoundPlace> places;
  std::vector<FoundPlace> others; ///< no draws: see scan_own_code()
  std::size_t undecoded = 0;      ///< places where decoding lost its way: nothing is said of them

  /// Something in it passes detshim.
  bool is_uncovered() const {
    return !not_reached.empty() || (left_alone.empty() && !places.empty());
  }
};

/// A library that could not be looked at.
struct MissingLibrary {
  std::string name, needed_by;
  std::string why; ///< "was not found", or what is wrong with the file
};

struct Scan {
  std::vector<FileScan>
      files; ///< the files asked for, each with the libraries that it needs behind it
  std::vector<MissingLibrary> missing;

  bool is_uncovered() const;
  std::size_t undecoded() const;
};

/// Looks at the machine code of one file alone.
FileScan scan_code(const ElfFile& file);

/// The same, and what reads a clock or makes a system call around every library.
FileScan scan_own_code(const ElfFile& file);

/// The same as scan_code(), unless no preload reaches the program at all.
FileScan scan_file(const ElfFile& file);

/// True if a program that no preload reaches is found to draw nothing: no instruction or system
/// call that draws, all of it decoded, and no name of a random device.
bool draws_nothing(const ElfFile& program);

/// Looks at `files`, and unless `alone` at all libraries that they need, each once. Throws ElfError
/// for one of `files` that cannot be looked at.
Scan scan_files(const std::vector<std::string>& files, bool alone);

/// "./train+0x11b9", as the log writes a place.
std::string place_text(const FileScan& scan, const FoundPlace& place);

/// What to do about instructions that draw, in one line.
extern const char* const draw_remedy;

} // namespace detshim
