#include "known_functions.h"

#include "known_function_lists.h"

#include <algorithm>
#include <charconv>

namespace detshim {
namespace {

KnownFunctions read(std::string_view library, std::string_view list) {
  KnownFunctions known{library, {}, {}};
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\n', at), list.size());
    const std::string_view line = list.substr(at, end - at);
    if (known.version.empty())
      known.version = line;
    else if (!line.empty())
      known.names.push_back(line);
    at = end + 1;
  }
  std::ranges::sort(known.names);
  return known;
}

/// The numbers between the points; empty if there is something else.
std::vector<unsigned long> numbers(std::string_view version) {
  std::vector<unsigned long> result;
  const char* at = version.data();
  const char* const end = at + version.size();
  for (;; ++at) {
    unsigned long number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    result.push_back(number);
    at = after;
    if (at == end) return result;
    if (*at != '.') return {};
  }
}

} // namespace

bool KnownFunctions::has(std::string_view name) const { return std::ranges::binary_search(names, name); }

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
