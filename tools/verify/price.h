// What each answer of the library's costs a program, and which of them it needs to repeat.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// What can be left off by itself: a library's hooks, a variable, or the fixed layout.
struct PricePart {
  std::string name;     ///< "cudnn", "env:CUBLAS_WORKSPACE_CONFIG", "layout"
  std::string disables; ///< as DETSHIM_DISABLE takes it; empty for the layout
};

/// Those of which the log in that folder says that they changed something: libraries by their
/// calls, and variables that somebody asked for.
std::vector<PricePart> used_parts(const std::string& log);

/// Several runs with some parts left off.
struct PriceTrial {
  std::size_t runs = 0, differing = 0; ///< from the first of them
  double seconds = 0;                  ///< of the fastest run, or of a step in it
  double noise = 0;                    ///< by which the run in the middle was slower
  std::string problem;                 ///< why they prove nothing; not safe to print

  bool repeats() const { return differing == 0 && problem.empty(); }
};

struct PricedPart {
  PricePart part;
  std::optional<PriceTrial> without; ///< nothing: there was no time for it
};

struct Price {
  PriceTrial all; ///< with no part left off
  std::vector<PricedPart> parts;
  std::vector<PricePart> left_off;    ///< in the cheapest set; empty: nothing that costs can go
  std::optional<PriceTrial> cheapest; ///< these runs showed that the set repeats
  bool is_out_of_time = false;

  /// How much longer the program takes with that part; nothing where that is not known.
  std::optional<double> cost_of(const PricedPart& part) const;
  /// True if that is more than chance: the runs of one trial differ by less.
  bool costs(const PricedPart& part) const;
};

struct PriceSearch {
  std::function<PriceTrial(const std::vector<PricePart>& left_off, std::size_t runs)> try_without;
  std::function<PriceTrial()> try_all_again; ///< in as many runs as the first time
  /// Whether there is time for so many runs more.
  std::function<bool(std::size_t runs)> has_time;
};

/// In each trial of one part, and in the first one.
inline constexpr std::size_t runs_of_trial = 3;

/// Tries each part by itself, and then all at once that cost something and are not needed. `all`
/// repeats. Where it does not any more, Price::all says so, and no set is named.
Price find_price(const PriceTrial& all, const std::vector<PricePart>& parts,
                 const PriceSearch& search);

} // namespace detshim
