#include "verdict/known_functions.h"

#include "support/wording.h"
#include "verdict/known_function_lists.h"

#include <algorithm>

namespace detshim {
namespace {

/// What stands before `mark`, which is cut off `text` with it; all of `text` if it is not there.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
  return taken;
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
      const std::string_view verdict = take_until(line, ": ");
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
    if (!number) return {};
    result.push_back(*number);
  }
  return result;
}

} // namespace

bool KnownFunctions::has(std::string_view name) const {
  // Nearly all of a framework's million names are out of this range.
  if (functions.empty() || name < functions.front().name || functions.back().name < name) return false;
  return std::ranges::binary_search(functions, name, {}, &KnownFunction::name);
}

const FunctionClass* KnownFunctions::class_of(std::string_view name) const {
  const auto function = std::ranges::lower_bound(functions, name, {}, &KnownFunction::name);
  if (function == functions.end() || function->name != name) return nullptr;
  const auto found = std::ranges::find(classes, function->function_class, &FunctionClass::name);
  return found == classes.end() ? nullptr : &*found;
}

const std::vector<KnownFunctions>& known_functions() {
  static const std::vector<KnownFunctions> all = [] {
    std::vector<KnownFunctions> result;
    for (const auto& [library, list] : known_function_lists) result.push_back(read(library, list));
    return result;
  }();
  return all;
}

const KnownFunctions* known_functions(std::string_view library) {
  for (const KnownFunctions& known : known_functions())
    if (known.library == library) return &known;
  return nullptr;
}

bool is_later(std::string_view version, std::string_view than) {
  const std::vector<unsigned long> a = numbers(version), b = numbers(than);
  return a.empty() || b.empty() || a > b;
}

} // namespace detshim
