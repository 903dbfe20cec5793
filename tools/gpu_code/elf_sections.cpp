#include "gpu_code/elf_sections.h"

#include <algorithm>
#include <cstring>

namespace detshim {
namespace {

std::string_view piece_of(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    return {};
  return bytes.substr(offset, size);
}

} // namespace

std::string_view ElfSection::text_at(std::uint64_t offset) const {
  if (offset >= bytes.size())
    return {};
  const std::string_view rest = bytes.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

const ElfSection* ElfSections::find(std::string_view name) const {
  const auto section = std::ranges::find(all, name, &ElfSection::name);
  return section == all.end() ? nullptr : &*section;
}

ElfSections read_elf_sections(std::string_view bytes) {
  ElfSections result;
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header)
    return result;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize != sizeof(Elf64_Shdr))
    return result;
  const auto first = table_in<Elf64_Shdr>(piece_of(bytes, header.e_shoff, sizeof(Elf64_Shdr)));
  if (first.empty())
    return result;
  // What does not fit into the header stands in the first section's (System V ABI, "ELF header").
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first[0].sh_size;
  const std::uint64_t names =
      header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first[0].sh_link;
  if (count > bytes.size() / sizeof(Elf64_Shdr))
    return result;
  const auto table =
      table_in<Elf64_Shdr>(piece_of(bytes, header.e_shoff, count * sizeof(Elf64_Shdr)));
  result = {header.e_machine, header.e_type, header.e_flags, header.e_ident[EI_OSABI], {}};
  for (const Elf64_Shdr& section : table)
    result.all.push_back({{},
                          section.sh_type,
                          section.sh_link,
                          section.sh_info,
                          section.sh_type == SHT_NOBITS
                              ? std::string_view()
                              : piece_of(bytes, section.sh_offset, section.sh_size)});
  for (std::size_t i = 0; i < table.size() && names < result.all.size(); ++i)
    result.all[i].name = result.all[names].text_at(table[i].sh_name);
  return result;
}

} // namespace detshim
