#include "gpu_code/cubin.h"

#include "gpu_code/code_function.h"
#include "gpu_code/elf_sections.h"

#include <algorithm>
#include <map>
#include <optional>

namespace detshim {
namespace {

constexpr unsigned char is_kernel_flag = 0x10; // st_other: STO_CUDA_ENTRY
constexpr std::string_view code_prefix = ".text.";

/// CUDA 13 has a number of its own for its format, and the architecture one byte further up.
unsigned architecture_of(const ElfSections& sections) {
  constexpr std::uint8_t abi_of_13 = 0x41;
  return (sections.abi == abi_of_13 ? sections.flags >> 8 : sections.flags) & 0xFF;
}

class CubinReader {
public:
  CubinReader(const ElfSections& sections, std::size_t size)
      : sections_(sections), code_left_(size) {
    if (const ElfSection* const table = sections.find(".symtab")) {
      symbols_ = table_in<Elf64_Sym>(table->bytes);
      if (table->link < sections.all.size())
        names_ = &sections.all[table->link];
    }
  }

  Cubin read() {
    Cubin result;
    result.architecture = architecture_of(sections_);
    for (std::size_t i = 0; i < sections_.all.size(); ++i)
      if (sections_.all[i].name.starts_with(code_prefix))
        add_function(i, result);
    add_symbols(result);
    add_calls(result);
    add_lines(result);
    return result;
  }

private:
  std::string_view name_of(const Elf64_Sym& symbol) const {
    return names_ == nullptr ? std::string_view() : names_->text_at(symbol.st_name);
  }

  /// A damaged file may name the same bytes again and again: together no more than it has are
  /// looked at.
  void add_function(std::size_t section, Cubin& result) {
    const std::size_t size = sections_.all[section].bytes.size();
    if (size > code_left_)
      return;
    code_left_ -= size;
    by_section_[section] = result.functions.size();
    GpuFunction& function = result.functions.emplace_back();
    function.name = sections_.all[section].name.substr(code_prefix.size());
    function.code = sections_.all[section].bytes;
  }

  GpuFunction* function_in(std::size_t section, Cubin& result) const {
    const auto function = by_section_.find(section);
    return function == by_section_.end() ? nullptr : &result.functions[function->second];
  }

  void add_symbols(Cubin& result) const {
    for (const Elf64_Sym& symbol : symbols_) {
      GpuFunction* const function = function_in(symbol.st_shndx, result);
      if (function == nullptr || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
        continue;
      if ((symbol.st_other & is_kernel_flag) != 0)
        function->is_kernel = true;
      // "$kernel$function"
      const std::string_view name = name_of(symbol);
      if (symbol.st_value == 0 && !name.starts_with('$'))
        continue;
      function->parts.push_back(
          {symbol.st_value, symbol.st_size, name.substr(name.rfind('$') + 1)});
    }
  }

  /// Pairs of symbols, in four parts that a pair with a negative number begins: who calls whom;
  /// whose address is taken; who calls by an address; and whom that may reach.
  void add_calls(Cubin& result) const {
    const ElfSection* const graph = sections_.find(".nv.callgraph");
    if (graph == nullptr || graph->bytes.empty()) { // ptxas always writes one
      for (GpuFunction& function : result.functions)
        function.unknown.emplace_back("a table of calls is missing");
      return;
    }
    struct Pair {
      std::uint32_t from, to;
    };
    enum Part : std::uint32_t { direct = ~0U, by_address = ~2U, reached = ~3U };
    std::uint32_t part = 0;
    std::map<GpuFunction*, bool> are_known; ///< who calls by an address, and whether whom is said
    for (const Pair& pair : table_in<Pair>(graph->bytes)) {
      if (pair.from == 0) {
        part = pair.to;
        continue;
      }
      GpuFunction* const from =
          pair.from < symbols_.size() ? function_in(symbols_[pair.from].st_shndx, result) : nullptr;
      if (from == nullptr)
        continue;
      if (part == by_address)
        are_known.try_emplace(from, false);
      if (part != direct && part != reached)
        continue;
      if (part == reached)
        are_known[from] = true;
      add_call(*from, pair.to);
    }
    for (const auto& [function, is_known] : are_known)
      // In an object, others may be linked whose addresses it takes.
      if (!is_known || sections_.type == ET_REL)
        function->unknown.emplace_back("a function by its address");
  }

  void add_call(GpuFunction& from, std::uint32_t to) const {
    if (to >= symbols_.size())
      return;
    const auto function = by_section_.find(symbols_[to].st_shndx);
    if (function != by_section_.end())
      from.calls.push_back(function->second);
    else if (const std::string_view name = name_of(symbols_[to]); !is_of_driver(name))
      from.unknown.push_back(name);
  }

  /// Each run of rows is a function's: which, a relocation of its first address says.
  void add_lines(Cubin& result) const {
    const ElfSection* const lines = sections_.find(".debug_line");
    if (lines == nullptr)
      return;
    const ElfSection* const texts = sections_.find(".debug_str");
    std::map<std::uint64_t, std::size_t> sections; ///< by the place of the address
    const auto add = [&](std::uint64_t at, std::uint64_t info) {
      if (const std::uint64_t symbol = ELF64_R_SYM(info); symbol < symbols_.size())
        sections[at] = symbols_[symbol].st_shndx;
    };
    if (const ElfSection* const table = sections_.find(".rela.debug_line"))
      for (const auto& entry : table_in<Elf64_Rela>(table->bytes))
        add(entry.r_offset, entry.r_info);
    if (const ElfSection* const table = sections_.find(".rel.debug_line"))
      for (const auto& entry : table_in<Elf64_Rel>(table->bytes))
        add(entry.r_offset, entry.r_info);
    for (LineSequence& sequence :
         read_line_table(lines->bytes, texts == nullptr ? std::string_view() : texts->bytes)) {
      const auto section = sections.find(sequence.address_at);
      GpuFunction* const function =
          section == sections.end() ? nullptr : function_in(section->second, result);
      if (function != nullptr)
        function->lines = std::move(sequence.rows);
    }
  }

  const ElfSections& sections_;
  std::size_t code_left_;
  std::vector<Elf64_Sym> symbols_;
  const ElfSection* names_ = nullptr;
  std::map<std::size_t, std::size_t> by_section_;
};

} // namespace

std::string_view GpuFunction::function_at(std::uint64_t offset) const {
  const auto holder = std::ranges::find_if(parts, [offset](const CodePart& part) {
    return offset - part.offset < part.size;
  });
  return holder == parts.end() ? name : holder->name;
}

Cubin read_cubin(std::string_view bytes) {
  const ElfSections sections = read_elf_sections(bytes);
  return sections ? CubinReader(sections, bytes.size()).read() : Cubin();
}

} // namespace detshim
