// Decides which line of source made a call, from the debug information and the symbols that the
// file has now. The byte before the return address counts, where the call itself lies. The user's
// line is the innermost whose file and source are no library's; what was inlined there counts too.
//
// It cannot know lines of a file without debug information, nor notice by itself that a file has
// changed. One that its maker names as changed has no lines.
#include "log_reader/source_lines.h"

#include "log_reader/library_code.h"
#include "support/hash.h"
#include "support/wording.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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
  if (plus == std::string::npos || plus == 0)
    return std::nullopt;
  const auto offset = number_in<std::uint64_t>(std::string_view(text).substr(plus + 3), 16);
  return offset.value_or(0) == 0 ? std::nullopt
                                 : std::optional(Place{text.substr(0, plus), *offset});
}

/// The compilation unit that holds `address`, or nullptr; `bias` is what its addresses lack.
Dwarf_Die* find_unit(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias))
    return unit;
  // clang writes no table of address ranges (.debug_aranges): ask the units one by one.
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;)
    if (dwarf_haspc(unit, address - bias) == 1)
      return unit;
  return nullptr;
}

/// Adds the functions that hold `address`, outermost first: one that was compiled, then those
/// inlined there.
void add_functions(Dwarf_Die* parent, Dwarf_Addr address, std::vector<Dwarf_Die>& functions,
                   int depth = 0) {
  constexpr int deepest = 100; // nesting of a damaged file must not end the stack
  Dwarf_Die child;
  if (depth > deepest || dwarf_child(parent, &child) != 0)
    return;
  do {
    const int tag = dwarf_tag(&child);
    const bool is_inside = dwarf_haspc(&child, address) == 1;
    if (is_inside && (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine))
      functions.push_back(child);
    if (is_inside || tag == DW_TAG_namespace) // a namespace has no addresses of its own
      add_functions(&child, address, functions, depth + 1);
    if (is_inside)
      return;
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
  if (unit == nullptr)
    return;
  if (Dwarf_Line* const line = dwarf_getsrc_die(unit, address - bias); line != nullptr) {
    to.file = text(dwarf_linesrc(line, nullptr, nullptr));
    dwarf_lineno(line, &to.line);
  }
  std::vector<Dwarf_Die> functions;
  add_functions(unit, address - bias, functions);
  if (functions.empty())
    return;
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
  if (name == nullptr)
    return;
  to.function = demangled(name);
  to.distance = distance + 1;
}

/// The address in the file that a module's first loaded byte has.
std::uint64_t lowest_address(Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    return 0;
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

std::string file_of(const std::string& place) { return place.substr(0, place.rfind("+0x")); }

/// The frame behind which the code is that of another file than those before, and no library's.
std::vector<std::string>::const_iterator
find_other_file(std::vector<std::string>::const_iterator begin,
                const std::vector<std::string>& frames, const std::string& file) {
  return std::find_if(begin, frames.end(), [&](const std::string& frame) {
    return file_of(frame) != file && !is_library_file(file_of(frame));
  });
}

/// "kernel(int)" of "kernel[abi:v1][abi:cw51cXTLSUwv1sDUa…](int)", as Numba names what it compiles.
std::string without_abi_tags(std::string name) {
  for (std::size_t tag; (tag = name.find("[abi:")) != name.npos;) {
    const std::size_t end = name.find(']', tag);
    if (end == name.npos)
      return name;
    name.erase(tag, end + 1 - tag);
  }
  return name;
}

} // namespace

std::string demangled(const char* symbol) {
  if (std::strncmp(symbol, "_Z", 2) != 0)
    return symbol; // `f` of a C program is not `float`
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return name ? without_abi_tags(name.get()) : symbol;
}

std::string without_parameters(const std::string& symbol) {
  const std::string name = demangled(symbol.c_str());
  std::size_t depth = 0;
  for (std::size_t at = name == symbol ? name.npos : name.rfind(')'); at < name.size(); --at) {
    if (name[at] == ')')
      ++depth;
    if (name[at] == '(' && --depth == 0)
      return name.substr(0, at);
  }
  return name;
}

class SourceLines::Module {
public:
  explicit Module(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
      return;
    session_ = dwfl_begin(&callbacks);
    if (session_ == nullptr)
      return;
    module_ = dwfl_report_offline(session_, "", file.c_str(), -1);
    dwfl_report_end(session_, nullptr, nullptr);
    Elf* const elf = module_ == nullptr ? nullptr : dwfl_module_getelf(module_, &bias_);
    if (elf == nullptr)
      module_ = nullptr;
    else
      lowest_ = lowest_address(elf);
  }
  ~Module() {
    if (session_ != nullptr)
      dwfl_end(session_);
  }
  Module& operator=(Module&&) = delete; // neither copied nor moved

  std::optional<SourceLine> find(std::uint64_t offset) const {
    if (module_ == nullptr)
      return std::nullopt;
    // Offsets count from the module's first byte; in a program linked to a fixed address that is
    // not 0.
    const Dwarf_Addr address = bias_ + offset - 1 + (offset < lowest_ ? lowest_ : 0);

    SourceLine result;
    add_from_symbols(module_, address, result);
    add_from_dwarf(module_, address, result);
    if (result.file.empty() && result.function.empty())
      return std::nullopt;
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

std::string UserLine::text() const {
  return base_name(line.file) + ':' + std::to_string(line.line);
}

SourceLines::SourceLines(std::set<std::string> changed) : changed_(std::move(changed)) {}
SourceLines::~SourceLines() = default;

std::optional<SourceLine> SourceLines::find(const std::string& text) {
  if (const auto known = found_.find(text); known != found_.end())
    return known->second;
  std::optional<SourceLine>& result = found_[text];
  const std::optional<Place> place = parse_place(text);
  if (!place || changed_.contains(place->module))
    return result;
  std::unique_ptr<Module>& module = modules_[place->module];
  if (!module)
    module = std::make_unique<Module>(place->module);
  result = module->find(place->offset);
  return result;
}

std::optional<UserLine> SourceLines::find_user(const std::string& place,
                                               const std::vector<std::string>& frames) {
  for (std::size_t i = 0; i <= frames.size(); ++i) {
    const std::string& frame = i == 0 ? place : frames[i - 1];
    if (is_library_file(file_of(frame)))
      continue;
    const std::optional<SourceLine> source = find(frame);
    if (!source || source->file.empty())
      continue;
    if (!is_library_source(source->file))
      return UserLine{frame, *source};
    for (const SourceLine& caller : source->inlined_into)
      if (!caller.file.empty() && !is_library_source(caller.file))
        return UserLine{frame, caller};
  }
  return std::nullopt;
}

std::string SourceLines::describe_innermost(const std::string& text) {
  const std::optional<SourceLine> source = find(text);
  if (!source)
    return text;
  if (!source->file.empty())
    return describe_line(*source);
  return base_name(file_of(text)) + "(" + source->function + "+0x" + hexadecimal(source->distance) +
         ")";
}

std::string SourceLines::describe(const std::string& text) {
  std::string result = describe_innermost(text);
  const std::optional<SourceLine> source = find(text);
  if (!source || source->file.empty())
    return result;
  // Of a long chain, as templates make it, the two ends say most.
  const std::size_t chain = source->inlined_into.size();
  for (std::size_t i = chain > 2 ? chain - 1 : 0; i < chain; ++i)
    result += (chain > 2 ? " <- ... <- " : " <- ") + describe_line(source->inlined_into[i]);
  return result;
}

std::string SourceLines::describe(const std::string& place,
                                  const std::vector<std::string>& frames) {
  const std::optional<UserLine> user = find_user(place, frames);
  const std::optional<SourceLine> innermost = find(place);
  const bool is_users = user && user->place == place && innermost &&
                        innermost->file == user->line.file && innermost->line == user->line.line;
  std::string result = is_users ? describe(place) : describe_innermost(place);
  if (user && !is_users)
    result = describe_line(user->line) + " -> " + result;
  // Who called from outside of the library that this is.
  const std::string& last = user ? user->place : place;
  const auto begin = last == place ? frames.begin() : std::ranges::find(frames, last);
  const auto outside = find_other_file(begin, frames, file_of(last));
  if (outside == frames.end())
    return result;
  const std::optional<UserLine> outer = find_user(*outside, {outside + 1, frames.end()});
  return (outer ? describe_line(outer->line) : describe_innermost(*outside)) + " -> " + result;
}

} // namespace detshim
