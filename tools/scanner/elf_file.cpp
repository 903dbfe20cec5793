#include "scanner/elf_file.h"

#include "log_reader/source_lines.h"
#include "support/hash.h"
#include "support/small_limits.h"
#include "support/wording.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <dwarf.h>

namespace detshim {
namespace {

constexpr std::size_t most_segments =
    65536 / sizeof(Elf64_Phdr);             // more, and the kernel does not execute it
constexpr std::size_t most_notes = 1 << 20; // bytes: Go's note is among the first
constexpr std::size_t longest_build_id = 32;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw ElfError(in_quotes(path) + " " + why +
                 "; accepted is a 64-bit program or shared library (ELF) for x86-64 or aarch64");
}

/// Of a file that nothing is known of yet: it may be all right, and a limit of the user's be behind
/// it.
[[noreturn]] void refuse_unread(const std::string& path, const std::string& why, int error) {
  const std::string limit = limit_behind(error);
  if (limit.empty())
    refuse(path, why);
  throw ElfError(in_quotes(path) + " " + why + ": " + std::strerror(error) + limit);
}

/// Reads a little-endian number; the caller has checked that it is there.
template <typename Number>
Number number_at(std::span<const unsigned char> bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

Machine checked_machine(const std::string& path, Elf* elf) {
  GElf_Ehdr header;
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr)
    refuse(path, "is no ELF file, or is cut short");
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    refuse(path, "is not a 64-bit file");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB)
    refuse(path, "is a big-endian file");
  if (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)
    refuse(path, "is for another kind of processor (ELF machine " +
                     std::to_string(header.e_machine) + ")");
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    refuse(path, "is neither a program nor a shared library (ELF type " +
                     std::to_string(header.e_type) + ")");
  return header.e_machine == EM_X86_64 ? Machine::x86_64 : Machine::aarch64;
}

/// A damaged file may name the same bytes again and again: each is looked at once.
std::vector<CodeRange> without_overlap(std::vector<CodeRange> ranges) {
  std::ranges::stable_sort(ranges, {}, [](const CodeRange& range) {
    return range.bytes.data();
  });
  const unsigned char* end = nullptr;
  for (CodeRange& range : ranges) {
    const std::size_t known =
        range.bytes.data() >= end
            ? 0
            : std::min(static_cast<std::size_t>(end - range.bytes.data()), range.bytes.size());
    range.address += known;
    range.bytes = range.bytes.subspan(known);
    if (!range.bytes.empty())
      end = range.bytes.data() + range.bytes.size();
  }
  std::erase_if(ranges, [](const CodeRange& range) {
    return range.bytes.empty();
  });
  return ranges;
}

bool is_function(const GElf_Sym& symbol) {
  const int type = GELF_ST_TYPE(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/// Calls visit(section, header) for each.
template <typename Visit>
void each_section(Elf* elf, Visit visit) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;)
    if (GElf_Shdr header; gelf_getshdr(section, &header) != nullptr)
      visit(section, header);
}

template <typename Visit>
void each_section_named(Elf* elf, std::string_view name, Visit visit) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return;
  each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    const char* const section_name = elf_strptr(elf, names, header.sh_name);
    if (section_name != nullptr && name == section_name)
      visit(section, header);
  });
}

} // namespace

ElfFile::ElfFile(const std::string& path) : path_(path), file_(path) {
  if (const int error = errno; !file_)
    refuse_unread(path_, "cannot be read as a file", error);
  elf_version(EV_CURRENT);
  elf_.reset(elf_begin(file_.descriptor(), ELF_C_READ_MMAP, nullptr));
  machine_ = checked_machine(path_, elf_.get());
  std::size_t size = 0;
  const char* const bytes = elf_rawfile(elf_.get(), &size);
  if (bytes == nullptr)
    refuse_unread(path_, "cannot be read", errno);
  bytes_ = {reinterpret_cast<const unsigned char*>(bytes), size};
  read_segments();
}

std::span<const unsigned char> ElfFile::bytes_at(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    return {};
  return bytes_.subspan(offset, size);
}

void ElfFile::read_segments() {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0 || count > most_segments)
    refuse(path_, "is damaged: its program headers cannot be read");
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr)
      refuse(path_, "is damaged or cut short: its program headers cannot be read");
    segments_.push_back(segment);
  }
  const auto is_load = [](const GElf_Phdr& segment) {
    return segment.p_type == PT_LOAD;
  };
  if (std::ranges::none_of(segments_, is_load))
    refuse(path_, "is damaged: it has nothing to load");
  for (const GElf_Phdr& segment : segments_) {
    if (is_load(segment) && segment.p_filesz > 0 &&
        bytes_at(segment.p_offset, segment.p_filesz).empty())
      refuse(path_, "is cut short: a part that is loaded is missing");
    if (segment.p_type == PT_INTERP)
      read_interpreter(segment);
    if (segment.p_type == PT_DYNAMIC && !dynamic_.is_there)
      read_dynamic(segment);
    if (segment.p_type == PT_NOTE)
      read_notes(segment);
    if (segment.p_type == PT_GNU_EH_FRAME)
      read_unwind_table(segment);
  }
}

void ElfFile::read_interpreter(const GElf_Phdr& segment) {
  has_interpreter_ = true;
  const std::span<const unsigned char> bytes = bytes_at(segment.p_offset, segment.p_filesz);
  if (bytes.empty())
    return;
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  interpreter_.assign(text, ::strnlen(text, bytes.size()));
}

std::string ElfFile::text_at_address(std::uint64_t address) const {
  constexpr std::size_t longest = 4096;
  for (const GElf_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address - segment.p_vaddr >= segment.p_filesz)
      continue;
    const std::uint64_t skip = address - segment.p_vaddr;
    const std::span<const unsigned char> bytes = bytes_at(segment.p_offset, segment.p_filesz);
    if (skip >= bytes.size())
      return "";
    const auto* const text = reinterpret_cast<const char*>(bytes.data() + skip);
    return {text, ::strnlen(text, std::min<std::size_t>(bytes.size() - skip, longest))};
  }
  return "";
}

void ElfFile::read_dynamic(const GElf_Phdr& segment) {
  constexpr std::size_t most_needed = 4096;
  dynamic_.is_there = true;
  const std::span<const unsigned char> bytes = bytes_at(segment.p_offset, segment.p_filesz);
  std::vector<Elf64_Dyn> entries;
  std::uint64_t strings = 0;
  for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= bytes.size(); at += sizeof(Elf64_Dyn)) {
    entries.push_back(number_at<Elf64_Dyn>(bytes, at));
    if (entries.back().d_tag == DT_NULL)
      break;
    if (entries.back().d_tag == DT_STRTAB)
      strings = entries.back().d_un.d_ptr;
  }
  for (const Elf64_Dyn& entry : entries) {
    const auto text = [&] {
      return text_at_address(strings + entry.d_un.d_val);
    };
    if (entry.d_tag == DT_NEEDED && dynamic_.needed.size() < most_needed)
      dynamic_.needed.push_back(text());
    else if (entry.d_tag == DT_SONAME)
      dynamic_.name = text();
    dynamic_.is_audited |= entry.d_tag == DT_AUDIT || entry.d_tag == DT_DEPAUDIT;
    if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0)
      dynamic_.is_program = true;
    dynamic_.binds_now |= entry.d_tag == DT_BIND_NOW ||
                          (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW) != 0) ||
                          (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW) != 0);
  }
}

void ElfFile::read_notes(const GElf_Phdr& segment) {
  Elf_Data* const notes =
      elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(segment.p_offset),
                           std::min<std::uint64_t>(segment.p_filesz, most_notes),
                           segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
  if (notes == nullptr)
    return;
  GElf_Nhdr header;
  std::size_t name = 0, content = 0;
  for (std::size_t at = 0; (at = gelf_getnote(notes, at, &header, &name, &content)) > 0;) {
    if (header.n_namesz != 3 + 1)
      continue;
    const auto* const bytes = static_cast<const unsigned char*>(notes->d_buf);
    if (std::memcmp(bytes + name, "Go\0", 4) == 0)
      is_go_ = true;
    if (std::memcmp(bytes + name, "GNU", 4) != 0 || header.n_type != NT_GNU_BUILD_ID ||
        !build_id_.empty() || header.n_descsz > longest_build_id)
      continue;
    for (std::size_t i = 0; i < header.n_descsz; ++i)
      build_id_ += hexadecimal(bytes[content + i], 2);
  }
}

void ElfFile::read_unwind_table(const GElf_Phdr& segment) {
  // Linkers write one form only: version 1, 4-byte numbers, a table relative to its own address,
  // sorted.
  constexpr std::size_t header_size = 12;
  const std::span<const unsigned char> bytes = bytes_at(segment.p_offset, segment.p_filesz);
  if (bytes.size() < header_size || bytes[0] != 1 ||
      bytes[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4) || bytes[2] != DW_EH_PE_udata4 ||
      bytes[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
    return;
  const std::size_t count = number_at<std::uint32_t>(bytes, 8);
  unwind_.address = segment.p_vaddr;
  unwind_.entries =
      bytes.subspan(header_size, std::min(count, (bytes.size() - header_size) / 8) * 8);
}

bool ElfFile::is_static_program() const {
  // A shared library has no interpreter either, but a dynamic section, and does not call itself a
  // program.
  return !has_interpreter_ && (!dynamic_.is_there || dynamic_.is_program);
}

bool ElfFile::changes_rights() const {
  struct stat status;
  if (!has_interpreter_ || ::fstat(file_.descriptor(), &status) != 0)
    return false;
  return (status.st_mode & S_ISUID) != 0 ||
         (status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
}

std::vector<CodeRange> ElfFile::code() const {
  std::vector<CodeRange> ranges;
  const auto add = [&](std::uint64_t address, std::uint64_t offset, std::uint64_t size) {
    // Addresses that run past the end of all memory are in no program that the kernel would load.
    const std::span<const unsigned char> bytes = bytes_at(offset, size);
    if (!bytes.empty() && address + bytes.size() >= address)
      ranges.push_back({address, bytes});
  };
  each_section(elf_.get(), [&](Elf_Scn*, const GElf_Shdr& header) {
    if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR) != 0 &&
        (header.sh_flags & SHF_ALLOC) != 0)
      add(header.sh_addr, header.sh_offset, header.sh_size);
  });
  const bool has_sections = !ranges.empty();
  for (const GElf_Phdr& segment : segments_)
    if (!has_sections && segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
      add(segment.p_vaddr, segment.p_offset, segment.p_filesz);
  return without_overlap(std::move(ranges));
}

const std::vector<ElfFile::Function>& ElfFile::functions() const {
  if (functions_read_)
    return functions_;
  functions_read_ = true;
  each_symbol([this](const char* name, const GElf_Sym& symbol, bool) {
    if (is_function(symbol) && symbol.st_value != 0)
      functions_.push_back({symbol.st_value, symbol.st_size, name == nullptr ? "" : name});
  });
  std::ranges::stable_sort(functions_, {}, &Function::start);
  return functions_;
}

bool ElfFile::exports_one_of(std::span<const char* const> names) const {
  bool is_there = false;
  each_function([&](std::string_view name, bool is_defined, bool is_exported) {
    is_there |= is_defined && is_exported && std::ranges::find(names, name) != names.end();
  });
  return is_there;
}

bool ElfFile::names(std::string_view sought) const {
  bool is_there = false;
  each_symbol([&](const char* name, const GElf_Sym&, bool is_exported) {
    is_there |= is_exported && name != nullptr && name == sought;
  });
  return is_there;
}

void ElfFile::each_function(const std::function<void(std::string_view, bool, bool)>& visit) const {
  each_symbol([&visit](const char* name, const GElf_Sym& symbol, bool is_exported) {
    const bool is_defined = symbol.st_shndx != SHN_UNDEF;
    if (name != nullptr && (!is_defined || is_function(symbol)))
      visit(name, is_defined, is_exported);
  });
}

void ElfFile::each_symbol(
    const std::function<void(const char*, const GElf_Sym&, bool)>& visit) const {
  each_section(elf_.get(), [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM)
      return;
    Elf_Data* const symbols = elf_getdata(section, nullptr);
    if (symbols == nullptr || symbols->d_buf == nullptr)
      return;
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(symbols, i, &symbol) != nullptr; ++i)
      visit(elf_strptr(elf_.get(), header.sh_link, symbol.st_name), symbol,
            header.sh_type == SHT_DYNSYM);
  });
}

bool ElfFile::has_section(std::string_view name) const {
  bool is_there = false;
  each_section_named(elf_.get(), name, [&](Elf_Scn*, const GElf_Shdr&) {
    is_there = true;
  });
  return is_there;
}

std::string ElfFile::section_bytes(std::string_view name) const {
  std::string bytes;
  each_section_named(elf_.get(), name, [&](Elf_Scn*, const GElf_Shdr& header) {
    const std::span<const unsigned char> section = bytes_at(header.sh_offset, header.sh_size);
    if (header.sh_type != SHT_NOBITS)
      bytes.append(reinterpret_cast<const char*>(section.data()), section.size());
  });
  return bytes;
}

bool ElfFile::holds_text(std::string_view text) const {
  const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  return all.find(text) != std::string_view::npos;
}

std::uint64_t ElfFile::unwind_start(std::uint64_t address) const {
  const auto start_of = [this](std::size_t entry) {
    return unwind_.address + static_cast<std::uint64_t>(
                                 std::int64_t{number_at<std::int32_t>(unwind_.entries, entry * 8)});
  };
  std::size_t low = 0, high = unwind_.entries.size() / 8;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    (start_of(middle) <= address ? low : high) = start_of(middle) <= address ? middle + 1 : middle;
  }
  return low == 0 ? 0 : start_of(low - 1);
}

std::uint64_t ElfFile::function_start(std::uint64_t address) const {
  const std::vector<Function>& all = functions();
  const auto after = std::ranges::upper_bound(all, address, {}, &Function::start);
  const std::uint64_t from_symbols = after == all.begin() ? 0 : std::prev(after)->start;
  const std::uint64_t from_unwinding = unwind_start(address);
  return std::max(from_symbols, from_unwinding <= address ? from_unwinding : 0);
}

std::string ElfFile::function_name(std::uint64_t address) const {
  const std::vector<Function>& all = functions();
  auto function = std::ranges::upper_bound(all, address, {}, &Function::start);
  constexpr int most_looked_at = 16; // aliases, and functions of an unknown size
  for (int i = 0; i < most_looked_at && function != all.begin(); ++i) {
    --function;
    if (address - function->start < function->size && *function->name != 0)
      return without_parameters(function->name);
  }
  return "";
}

} // namespace detshim
