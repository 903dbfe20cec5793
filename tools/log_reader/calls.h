// A log's calls, folded while they are read: what is kept grows with the places that calls came
// from, not with the calls.
#pragma once

#include "log_reader/record.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace detshim {

/// The actions in the order in which a reader wants to hear of them.
inline constexpr Action actions_worst_first[] = {
    Action::nondeterministic, Action::uncovered, Action::refuse,
    Action::replace,          Action::pin,       Action::observe};

/// A number of calls. Not exact: at least that many (the counts file is missing, or a call was cut
/// short).
struct CallCount {
  std::uint64_t calls = 0;
  bool is_exact = true;

  void add(const CallCount& more) {
    calls = saturated_sum(calls, more.calls);
    is_exact = is_exact && more.is_exact;
  }
};

/// Calls of one symbol that met one action.
struct SymbolCalls {
  CallCount count;
  std::map<std::vector<Field>, CallCount> examples; ///< values; of many, those of the most calls
  std::uint64_t examples_left_out = 0;              ///< records with other values
  /// By at, frames and Python.
  std::map<std::tuple<std::string, std::vector<std::string>, PythonFrames>, CallCount, std::less<>>
      places;
  std::set<std::string> reasons;
  std::set<std::pair<std::string, std::int64_t>>
      ranks; ///< job and rank; of what a reader must hear of alone

  void add(const Call& call, const CallCount& calls);
  void add(SymbolCalls& other);

private:
  void add_example(const std::vector<Field>& fields, const CallCount& calls);
};

struct FoldedCalls {
  struct Symbol {
    std::string library, function;
    Action action = Action::none;
  };
  struct WorstFirst { ///< then by library and function
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return key(a) < key(b);
    }
    template <typename S>
    static auto key(const S& symbol) {
      return std::make_tuple(severity(symbol.action), std::string_view(symbol.library),
                             std::string_view(symbol.function));
    }
  };

  std::map<Symbol, SymbolCalls, WorstFirst> symbols;

  static std::size_t severity(Action action);

  SymbolCalls& of(const Call& call);
  void add(FoldedCalls&& other);
};

} // namespace detshim
