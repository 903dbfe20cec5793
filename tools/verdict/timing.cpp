#include "verdict/timing.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace detshim {
namespace {

constexpr std::string_view tuned_libraries[] = {"cublas", "cublaslt",   "cuda",     "cudart",
                                                "cudnn",  "cusparselt", "cutensor", "tensorrt"};

/// True if the text has a word of that family: "time", "times", "timed", "timing".
bool speaks_of_time(std::string_view why) {
  constexpr std::string_view stem = "tim";
  for (std::size_t at = why.find(stem); at != why.npos; at = why.find(stem, at + 1)) {
    if (at != 0 && std::isalpha(static_cast<unsigned char>(why[at - 1])) != 0) continue;
    std::size_t end = at;
    while (end < why.size() && std::isalpha(static_cast<unsigned char>(why[end])) != 0) ++end;
    const std::string_view word = why.substr(at, end - at);
    if (word == "time" || word == "times" || word == "timed" || word == "timing") return true;
  }
  return false;
}

bool is_timed_choice(const SymbolSummary& symbol) {
  return symbol.action == Action::unfixed &&
         std::ranges::find(tuned_libraries, symbol.library) != std::end(tuned_libraries) &&
         std::ranges::any_of(symbol.reasons, speaks_of_time);
}

} // namespace

std::vector<const SymbolSummary*> timed_choices(const Summary& summary) {
  std::vector<const SymbolSummary*> found;
  for (const SymbolSummary& symbol : summary.symbols)
    if (is_timed_choice(symbol)) found.push_back(&symbol);
  return found;
}

} // namespace detshim
