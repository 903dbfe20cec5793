#include "verdict/timing.h"

#include "verdict/verdict_inputs.h"

#include <string_view>

namespace detshim {
namespace {

constexpr std::string_view tuned_libraries[] = {"cublas", "cublaslt",   "cuda",     "cudart",
                                                "cudnn",  "cusparselt", "cutensor", "tensorrt"};

// What a record says of a choice by time.
constexpr auto timed_reasons = {
    Reason::choice_cannot_be_kept, Reason::program_may_time, Reason::slowest_by_tuner,
    Reason::timed_algorithm,       Reason::timed_by_library, Reason::timed_by_tuner,
    Reason::timed_engine,          Reason::timed_list,       Reason::tuning_cannot_keep,
    Reason::tuning_keeps_fastest,  Reason::tuning_keeps_use};

bool is_timed_choice(const SymbolSummary& symbol) {
  return symbol.action == Action::nondeterministic && contains(tuned_libraries, symbol.library) &&
         has_reason(symbol, timed_reasons);
}

} // namespace

std::vector<const SymbolSummary*> timed_choices(const Summary& summary) {
  std::vector<const SymbolSummary*> found;
  for (const SymbolSummary& symbol : summary.symbols)
    if (is_timed_choice(symbol)) found.push_back(&symbol);
  return found;
}

} // namespace detshim
