// What a file has to do with CUDA's libraries.
//
// Decides by the names of functions alone, of a file's symbol tables and of the lists in
// known_functions/. A function of a stripped file that exports nothing has no name here.
#include "verdict/cuda_symbols.h"

#include "common/cuda_libraries.h"
#include "support/wording.h"
#include "verdict/known_function_lists.h"

#include <algorithm>
#include <map>

namespace detshim {
namespace {

/// What stands before `mark`, which is cut off `text` with it; all of `text` if it is not there.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
  return taken;
}

ClassVerdict verdict_named(std::string_view word) {
  if (word == "harmless")
    return ClassVerdict::harmless;
  return word == "told" ? ClassVerdict::told : ClassVerdict::unverified;
}

/// The lists' form: known_functions/update.
KnownFunctions read(std::string_view library, std::string_view list) {
  std::string_view versions = take_until(list, "\n");
  KnownFunctions known{library, versions.substr(versions.rfind(' ') + 1), {}, {}};
  while (!list.empty()) {
    std::string_view line = take_until(list, "\n");
    const std::string_view first = take_until(line, " ");
    if (first == "class") {
      const std::string_view name = take_until(line, " ");
      const ClassVerdict verdict = verdict_named(take_until(line, ": "));
      known.classes.push_back({name, verdict, line});
    } else if (!first.empty()) {
      known.functions.push_back({first, take_until(line, " ")});
    }
  }
  std::ranges::sort(known.functions, {}, &KnownFunction::name);
  return known;
}

/// The numbers between the dots; empty if there is something else.
std::vector<unsigned long> numbers(std::string_view version) {
  std::vector<unsigned long> result;
  for (const std::string& part : split(std::string(version), '.')) {
    const std::optional<unsigned long> number = number_in<unsigned long>(part);
    if (!number)
      return {};
    result.push_back(*number);
  }
  return result;
}

/// True if the name is that of a public function of that library, known or not. cublasLt's begin
/// like cublas's.
bool is_named_like(std::string_view name, const CudaLibrary& library) {
  if (!name.starts_with(library.prefix))
    return false;
  return std::ranges::none_of(cuda_libraries, [&](const CudaLibrary& other) {
    return std::string_view(other.prefix).size() > std::string_view(library.prefix).size() &&
           name.starts_with(other.prefix);
  });
}

bool is_known(std::string_view name) {
  return std::ranges::any_of(known_functions(), [name](const KnownFunctions& known) {
    return known.has(name);
  });
}

bool is_unknown_of_cuda(std::string_view name) {
  if (!name.starts_with("cu") && !name.starts_with("nccl"))
    return false;
  return !is_known(name) && std::ranges::any_of(cuda_libraries, [name](const CudaLibrary& library) {
    return known_functions(library.name) != nullptr && is_named_like(name, library);
  });
}

/// Collects the known functions that a file defines, by library.
class Copies {
public:
  void add(std::string_view name) {
    for (const KnownFunctions& known : known_functions())
      if (known.has(name))
        names_[std::string(known.library)].emplace(name);
  }
  std::vector<LinkedCopy> all() const {
    std::vector<LinkedCopy> result;
    for (const auto& [library, names] : names_)
      result.push_back({library, *names.begin(), names.size()});
    return result;
  }

private:
  std::map<std::string, std::set<std::string>> names_;
};

} // namespace

bool KnownFunctions::has(std::string_view name) const {
  // Nearly all of a framework's million names are out of this range.
  if (functions.empty() || name < functions.front().name || functions.back().name < name)
    return false;
  return std::ranges::binary_search(functions, name, {}, &KnownFunction::name);
}

const FunctionClass* KnownFunctions::class_of(std::string_view name) const {
  const auto function = std::ranges::lower_bound(functions, name, {}, &KnownFunction::name);
  if (function == functions.end() || function->name != name)
    return nullptr;
  const auto row = std::ranges::find(classes, function->function_class, &FunctionClass::name);
  return row == classes.end() ? nullptr : &*row;
}

const std::vector<KnownFunctions>& known_functions() {
  static const std::vector<KnownFunctions> all = [] {
    std::vector<KnownFunctions> result;
    for (const auto& [library, list] : known_function_lists)
      result.push_back(read(library, list));
    return result;
  }();
  return all;
}

const KnownFunctions* known_functions(std::string_view library) {
  for (const KnownFunctions& known : known_functions())
    if (known.library == library)
      return &known;
  return nullptr;
}

bool is_later(std::string_view version, std::string_view than) {
  const std::vector<unsigned long> a = numbers(version), b = numbers(than);
  return a.empty() || a > b; // also than no numbers
}

std::string cuda_library_of(const std::string& file) {
  const std::string name = base_name(file);
  for (const CudaLibrary& library : cuda_libraries)
    if (is_file_of(library, name.c_str()))
      return library.name;
  return "";
}

bool is_of_random_device(std::string_view function) {
  return function.find("random_device") != std::string_view::npos ||
         function.find("__x86_rd") != std::string_view::npos;
}

CudaSymbols read_cuda_symbols(const ElfFile& file) {
  CudaSymbols symbols;
  symbols.file = file.path();
  symbols.library = cuda_library_of(symbols.file);
  const CudaLibrary* const own =
      std::ranges::find(cuda_libraries, symbols.library, &CudaLibrary::name);
  const bool is_listed = known_functions(symbols.library) != nullptr;
  Copies copies;
  std::set<std::string> unknown;
  file.each_function([&](std::string_view name, bool is_defined, bool is_exported) {
    symbols.names_random_device |= is_defined && is_of_random_device(name);
    if (is_defined && symbols.library.empty())
      copies.add(name);
    else if (is_defined && is_exported && is_listed && is_named_like(name, *own) && !is_known(name))
      unknown.emplace(name);
    else if (!is_defined && symbols.library.empty() && is_unknown_of_cuda(name))
      symbols.asks_for.emplace(name);
  });
  symbols.copies = copies.all();
  symbols.unknown.assign(unknown.begin(), unknown.end());
  symbols.has_kernels = symbols.library.empty() &&
                        find_nvidia_library(base_name(symbols.file)) == nullptr &&
                        file.has_section(".nv_fatbin");
  symbols.has_symbol_table = file.has_section(".symtab");
  return symbols;
}

} // namespace detshim
