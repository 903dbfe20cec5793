// Decides which answers a program needs: one is needed if runs differ among themselves without it.
// What costs something and is not needed goes, all at once; where that differs, the cheapest of
// them comes back until the rest repeats. A set is named only after as many equal runs as would
// show the rarest difference that was seen.
//
// It goes by the fastest of a few runs, and tries all of them once more at the end, because a
// machine becomes slower while others use it. So it cannot tell a cost of a hundredth from chance.
// Nor can it know a difference that is rarer than all that it has seen.
#include "verify/price.h"

#include "log_reader/log.h"
#include "verify/verify.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace detshim {
namespace {

bool has_changed(Action action) {
  return action == Action::replace || action == Action::pin || action == Action::refuse;
}

/// The share of runs that differed, in the trial in which the fewest did; nothing if none did.
std::optional<double> rarest_difference(const Price& price) {
  std::optional<double> rarest;
  for (const PricedPart& part : price.parts)
    if (part.without && part.without->differing > 0 && part.without->runs > 1) {
      const double rate = static_cast<double>(part.without->differing) /
                          static_cast<double>(part.without->runs - 1);
      rarest = std::min(rarest.value_or(rate), rate);
    }
  return rarest;
}

std::size_t confirming_runs(const Price& price) {
  constexpr std::size_t least = 5;
  const std::optional<double> rarest = rarest_difference(price);
  return rarest ? std::max(least, runs_for_bound(*rarest)) : least;
}

/// Those that cost something and are not needed, the dearest first.
std::vector<PricedPart> dispensable_parts(const Price& price) {
  std::vector<PricedPart> parts;
  for (const PricedPart& part : price.parts)
    if (price.costs(part) && part.without->repeats())
      parts.push_back(part);
  std::ranges::stable_sort(parts, std::greater(), [&](const PricedPart& part) {
    return price.cost_of(part);
  });
  return parts;
}

/// Two trials of the same, before and after the others: by how much the machine has become faster
/// or slower meanwhile is chance too.
PriceTrial together(const PriceTrial& before, const PriceTrial& after) {
  PriceTrial both = before.repeats() ? after : before;
  both.seconds = std::min(before.seconds, after.seconds);
  both.noise = std::max({before.noise, after.noise, std::abs(before.seconds - after.seconds)});
  return both;
}

} // namespace

std::optional<double> Price::cost_of(const PricedPart& part) const {
  if (!part.without || part.without->seconds <= 0 || !part.without->problem.empty())
    return std::nullopt;
  return all.seconds / part.without->seconds;
}

bool Price::costs(const PricedPart& part) const {
  constexpr double least = 1.02;
  const std::optional<double> cost = cost_of(part);
  return cost && *cost >= least &&
         all.seconds - part.without->seconds > std::max(all.noise, part.without->noise);
}

std::vector<PricePart> used_parts(const std::string& log) {
  std::set<std::string> libraries, set, read_by_some;
  bool has_fixed_layout = false;
  const Log read = read_log(log);
  for (const auto& [symbol, calls] : read.calls.symbols)
    if (has_changed(symbol.action))
      libraries.insert(symbol.library);
  for (const Process& process : read.processes)
    for (const Start& start : process.starts) {
      has_fixed_layout |= start.layout == "fixed";
      for (const EnvironmentChange& change : start.environment)
        set.insert(change.name);
      for (const SettingReader& reader : start.readers)
        read_by_some.insert(reader.name);
    }
  std::vector<PricePart> parts;
  for (const std::string& library : libraries)
    parts.push_back({library, library});
  for (const std::string& variable : set)
    if (read_by_some.contains(variable))
      parts.push_back({"env:" + variable, "env:" + variable});
  if (has_fixed_layout)
    parts.push_back({"layout", ""});
  return parts;
}

Price find_price(const PriceTrial& all, const std::vector<PricePart>& parts,
                 const PriceSearch& search) {
  Price price;
  price.all = all;
  for (const PricePart& part : parts) {
    price.parts.push_back({part, std::nullopt});
    if (search.has_time(runs_of_trial))
      price.parts.back().without = search.try_without({part}, runs_of_trial);
    else
      price.is_out_of_time = true;
  }
  if (!search.has_time(runs_of_trial)) {
    price.is_out_of_time = true;
    return price;
  }
  price.all = together(all, search.try_all_again());
  if (!price.all.repeats())
    return price;
  for (const PricedPart& part : dispensable_parts(price))
    price.left_off.push_back(part.part);
  const std::size_t runs = confirming_runs(price);
  for (; !price.left_off.empty(); price.left_off.pop_back()) {
    if (!search.has_time(runs)) {
      price.is_out_of_time = true;
      price.left_off.clear();
      break;
    }
    const PriceTrial trial = search.try_without(price.left_off, runs);
    if (trial.repeats()) {
      price.cheapest = trial;
      break;
    }
  }
  return price;
}

} // namespace detshim
