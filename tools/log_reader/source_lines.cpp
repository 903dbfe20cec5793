#include "log_reader/source_lines.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <cxxabi.h>
#include <dwarf.h>

namespace detshim {
namespace {

struct Place {
  std::string module;
  std::uint64_t offset = 0; ///< of a return address: the call itself lies before it
};

std::optional<Place> parse_place(const std::string& text) {
  const std::size_t plus = text.rfind("+0x");
  if (plus == std::string::npos || plus == 0) return std::nullopt;
  Place place;
  place.module = text.substr(0, plus);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + plus + 3, end, place.offset, 16);
  if (error != std::errc() || stop != end || place.offset == 0) return std::nullopt;
  return place;
}

std::string demangled(const char* symbol) {
  if (std::strncmp(symbol, "_Z", 2) != 0) return symbol; // `f` of a C program is not `float`
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return name ? name.get() : symbol;
}

/// The compilation unit that holds `address`, or nullptr; `bias` is what its addresses lack.
Dwarf_Die* find_unit(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias)) return unit;
  // clang writes no table of address ranges (.debug_aranges): ask the units one by one.
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;)
    if (dwarf_haspc(unit, address - bias) == 1) return unit;
  return nullptr;
}

/// Adds the functions that hold `address`, outermost first: one that was compiled, then those inlined there.
void add_functions(Dwarf_Die* parent, Dwarf_Addr address, std::vector<Dwarf_Die>& functions, int depth = 0) {
  constexpr int deepest = 100; // nesting of a damaged file must not end the stack
  Dwarf_Die child;
  if (depth > deepest || dwarf_child(parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    const bool is_inside = dwarf_haspc(&child, address) == 1;
    if (is_inside && (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine))
      functions.push_back(child);
    if (is_inside || tag == DW_TAG_namespace) // a namespace has no addresses of its own
      add_functions(&child, address, functions, depth + 1);
    if (is_inside) return;
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::string text(const char* pointer) { return pointer == nullptr ? "" : pointer; }

Dwarf_Word number(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word result = 0;
  dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &result);
  return result;
}

/// Where the call stood that was inlined.
SourceLine find_inlined_call(Dwarf_Die* unit, Dwarf_Die* inlined) {
  SourceLine call;
  call.line = static_cast<int>(number(inlined, DW_AT_call_line));
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) == 0)
    call.file = text(dwarf_filesrc(files, number(inlined, DW_AT_call_file), nullptr, nullptr));
  return call;
}

void add_from_dwarf(Dwfl_Module* module, Dwarf_Addr address, SourceLine& to) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = find_unit(module, address, bias);
  if (unit == nullptr) return;
  if (Dwarf_Line* const line = dwarf_getsrc_die(unit, address - bias); line != nullptr) {
    to.file = text(dwarf_linesrc(line, nullptr, nullptr));
    dwarf_lineno(line, &to.line);
  }
  std::vector<Dwarf_Die> functions;
  add_functions(unit, address - bias, functions);
  if (functions.empty()) return;
  to.function = text(dwarf_diename(&functions.back()));
  for (std::size_t i = functions.size() - 1; i > 0; --i) {
    to.inlined_into.push_back(find_inlined_call(unit, &functions[i]));
    to.inlined_into.back().function = text(dwarf_diename(&functions[i - 1]));
  }
}

void add_from_symbols(Dwfl_Module* module, Dwarf_Addr address, SourceLine& to) {
  GElf_Off distance = 0;
  GElf_Sym symbol;
  const char* const name =
      dwfl_module_addrinfo(module, address, &distance, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr) return;
  to.function = demangled(name);
  to.distance = distance + 1;
}

/// The address in the file that a module's first loaded byte has.
std::uint64_t lowest_address(Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return 0;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_LOAD)
      return header.p_vaddr - header.p_vaddr % std::max<std::uint64_t>(header.p_align, 1);
  }
  return 0;
}

std::string short_path(const std::string& file) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path relative = std::filesystem::path(file).lexically_relative(here);
  return error || relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

std::string describe_line(const SourceLine& source) {
  return short_path(source.file) + ":" + std::to_string(source.line) +
         (source.function.empty() ? "" : " " + source.function);
}

} // namespace

class SourceLines::Module {
public:
  explicit Module(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return;
    session_ = dwfl_begin(&callbacks);
    if (session_ == nullptr) return;
    module_ = dwfl_report_offline(session_, "", file.c_str(), -1);
    dwfl_report_end(session_, nullptr, nullptr);
    Elf* const elf = module_ == nullptr ? nullptr : dwfl_module_getelf(module_, &bias_);
    if (elf == nullptr)
      module_ = nullptr;
    else
      lowest_ = lowest_address(elf);
  }
  ~Module() {
    if (session_ != nullptr) dwfl_end(session_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::optional<SourceLine> find(std::uint64_t offset) const {
    if (module_ == nullptr) return std::nullopt;
    // Offsets count from the module's first byte; in a program linked to a fixed address that is not 0.
    const Dwarf_Addr address = bias_ + offset - 1 + (offset < lowest_ ? lowest_ : 0);

    SourceLine result;
    add_from_symbols(module_, address, result);
    add_from_dwarf(module_, address, result);
    if (result.file.empty() && result.function.empty()) return std::nullopt;
    return result;
  }

private:
  static char* debug_path; // nullptr: where elfutils looks by default
  static const Dwfl_Callbacks callbacks;

  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
  std::uint64_t lowest_ = 0;
};

char* SourceLines::Module::debug_path = nullptr;

const Dwfl_Callbacks SourceLines::Module::callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

SourceLines::SourceLines(std::set<std::string> changed) : changed_(std::move(changed)) {}
SourceLines::~SourceLines() = default;

std::optional<SourceLine> SourceLines::find(const std::string& text) {
  const std::optional<Place> place = parse_place(text);
  if (!place || changed_.contains(place->module)) return std::nullopt;
  std::unique_ptr<Module>& module = modules_[place->module];
  if (!module) module = std::make_unique<Module>(place->module);
  return module->find(place->offset);
}

std::string SourceLines::describe(const std::string& text) {
  const std::optional<SourceLine> source = find(text);
  if (!source) return text;
  if (!source->file.empty()) {
    std::string result = describe_line(*source);
    // Of a long chain, as templates make it, the two ends say most.
    const std::size_t chain = source->inlined_into.size();
    for (std::size_t i = chain > 2 ? chain - 1 : 0; i < chain; ++i)
      result += (chain > 2 ? " <- ... <- " : " <- ") + describe_line(source->inlined_into[i]);
    return result;
  }
  char distance[24];
  std::snprintf(distance, sizeof distance, "+0x%llx", static_cast<unsigned long long>(source->distance));
  const std::string module = text.substr(0, text.rfind("+0x"));
  return std::filesystem::path(module).filename().string() + "(" + source->function + distance + ")";
}

} // namespace detshim
