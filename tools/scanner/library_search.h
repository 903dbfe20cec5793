// Where the dynamic loader would find a library (ld.so(8)), without running it or the program.
#pragma once

#include "scanner/elf_file.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// A file that needs libraries, and the one that needed it (nullptr for the program).
struct Dependent {
  const ElfFile* file = nullptr;
  const Dependent* needed_by = nullptr;
};

class LibrarySearch {
public:
  /// Reads LD_LIBRARY_PATH and the loader's cache.
  LibrarySearch();

  /// The file that `name` (DT_NEEDED) stands for, needed by `dependent`; nothing if there is none for its
  /// processor.
  std::optional<std::string> find(const std::string& name, const Dependent& dependent) const;

private:
  std::vector<std::string> library_path_;
  std::multimap<std::string, std::string> cache_; ///< name to path, for this machine's own processor
};

/// The entries of a loader's cache (/etc/ld.so.cache): name and path, in its order. Empty if it is damaged.
std::vector<std::pair<std::string, std::string>> read_loader_cache(std::string_view bytes);

} // namespace detshim
