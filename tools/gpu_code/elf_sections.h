// The sections of a 64-bit ELF file that lies in memory: a program with code for a GPU in it, or
// that code (a cubin). libelf would give the same; but cubins come by thousands, and none of their
// bytes is copied here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <elf.h>

namespace detshim {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::string_view bytes; ///< empty where the file does not hold what it says

  /// The text that begins at `offset` of a section of names.
  std::string_view text_at(std::uint64_t offset) const;
};

struct ElfSections {
  std::uint16_t machine = 0, type = 0; ///< EM_*, ET_*
  std::uint32_t flags = 0;
  std::uint8_t abi = 0; ///< EI_OSABI
  std::vector<ElfSection> all;

  explicit operator bool() const { return !all.empty(); }
  /// nullptr where no section has that name.
  const ElfSection* find(std::string_view name) const;
};

/// Nothing in it if these bytes are no 64-bit little-endian ELF file with sections.
ElfSections read_elf_sections(std::string_view bytes);

/// The entries of a table, as many as are whole.
template <typename Entry>
std::vector<Entry> table_in(std::string_view bytes) {
  std::vector<Entry> entries(bytes.size() / sizeof(Entry));
  bytes.copy(reinterpret_cast<char*>(entries.data()), entries.size() * sizeof(Entry));
  return entries;
}

} // namespace detshim
