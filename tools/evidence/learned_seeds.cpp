// Seeds that change from run to run.
//
// Decides it from the logs of two runs: a call site whose seeds were others in the second run
// passes seeds that change, and call sites that passed the same value belong together. Of a call
// site of which a log does not hold all values it decides only where no value came again. It cannot
// know why a seed changed, nor find one that was the same in both runs by chance. Where threads of
// a process race for their seeds, or for the tasks that pass them, it learns nothing: no order
// tells them apart.
#include "evidence/learned_seeds.h"

#include "common/run_agreements.h"
#include "support/hash.h"
#include "support/wording.h"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <set>
#include <utility>

namespace detshim {
namespace {

using Values = std::set<std::string>;
/// A thread of a process, by names that hold in both runs.
struct PassingThread {
  std::string process, name;
  auto operator<=>(const PassingThread&) const = default;
};
/// By value, who passed it.
using Passed = std::map<std::string, std::set<PassingThread>>;

/// What the processes of one run passed at one call site.
struct SeedsOfSite {
  Passed passed;
  Values effective;
  bool is_whole = true; ///< false: it was more than a log holds
  bool is_learned = false;
  bool is_ordered = false; ///< the library took one for what may change
  bool is_guess =
      false; ///< the library took one for an address: another number may look like one by chance
  LearnedSeeds site;
};

constexpr std::array seed_reasons = {
    Reason::own_value, Reason::unexplained_seed, Reason::learned_seed, Reason::clock_seed,
    Reason::id_seed,   Reason::address_seed,     Reason::ordered_seed};

/// As shim/core/seeds/learned_seeds.cpp makes it of a call.
std::string name_of(const Call& call) {
  if (call.python.user) {
    const std::string& frame = call.python.frames[*call.python.user]; // "/home/me/train.py:12 main"
    return base_name(frame.substr(0, frame.rfind(' ')));
  }
  return base_name(call.at);
}

std::map<std::string, SeedsOfSite> seeds_in(const Log& log) {
  std::map<std::string, SeedsOfSite> sites;
  each_record(log, [&](const Process& process, const Call& call, const CallCount&) {
    const Reason why = call.reason;
    const std::string* const requested = find_field(call.fields, "requested");
    const std::string* const effective = find_field(call.fields, "effective");
    if (why == Reason::values_not_written || why == Reason::further_files)
      sites[name_of(call)].is_whole = false;
    if (requested == nullptr || effective == nullptr || std::ranges::count(seed_reasons, why) == 0)
      return;
    SeedsOfSite& seeds = sites[name_of(call)];
    seeds.passed[*requested].insert(
        {std::to_string(process.rank) + ' ' + process.path, call.thread});
    seeds.effective.insert(*effective);
    seeds.is_learned |= why == Reason::learned_seed;
    seeds.is_ordered |= why == Reason::ordered_seed;
    seeds.is_guess |= why == Reason::address_seed;
    seeds.site = {"", name_of(call), false, call.at, call.frames, call.python};
  });
  return sites;
}

/// What changed, in the two runs.
struct Changed {
  Passed first, second;

  bool both(bool (*is_so)(const Passed&)) const { return is_so(first) && is_so(second); }
};

/// A call site whose values changed in these runs, or in those of an earlier comparison.
struct Changing {
  std::string name;
  Changed values;
  Values kept;
  const LearnedSeeds* site; ///< null: known before
  std::size_t
      group; ///< index of the first that passed one value with it in both runs: in all, then
  bool is_in_order = false; ///< the library named them by their order
  bool is_constant = false; ///< only the values that are kept are known
  bool is_dealt = false;    ///< another thread passed a value in the second run
};

bool share_one(const Passed& one, const Passed& other) {
  return std::ranges::any_of(one, [&](const auto& passed) {
    return other.contains(passed.first);
  });
}

/// True if several processes passed values, and all the same ones.
bool is_of_all_processes(const Passed& passed) {
  std::map<std::string, Values> all;
  for (const auto& [value, threads] : passed)
    for (const PassingThread& thread : threads)
      all[thread.process].insert(value);
  return all.size() > 1 && std::ranges::all_of(all, [&](const auto& one) {
           return one.second == all.begin()->second;
         });
}

bool is_of_threads(const Passed& passed) {
  return std::ranges::any_of(passed, [](const auto& one) {
    return one.second.size() > 1;
  });
}

/// Of several values that threads of one process share, which comes first is a race: no order tells
/// them apart.
bool is_race(const Passed& passed) {
  return passed.size() > 1 && std::ranges::any_of(passed, [](const auto& one) {
           return std::ranges::adjacent_find(one.second, {}, &PassingThread::process) !=
                  one.second.end();
         });
}

std::string as_word(std::string name) {
  std::ranges::replace(name, ' ', blank_in_name);
  return name;
}

std::string entry_of(const Changing& site, const Changed& of_group, const std::string& group) {
  std::string entry = as_word(site.name);
  if (site.is_in_order && !site.is_constant)
    entry += std::string(" ") + in_order_of_seeds;
  if (site.is_constant)
    entry += std::string(" ") + unchanging_call_site;
  if (!group.empty())
    entry += " =" + as_word(group);
  if (site.values.both(is_of_all_processes))
    entry += std::string(" ") + of_all_processes;
  if (of_group.both(is_of_threads))
    entry += std::string(" ") + of_all_threads;
  for (const std::string& value : site.kept)
    entry += ' ' + value;
  return entry;
}

/// The call sites whose values change, and what those of a group passed together.
class ChangingSites {
public:
  /// Of a call site that both runs have.
  void add(const std::string& name, const SeedsOfSite& then, const SeedsOfSite& now) {
    Changing site{name, {then.passed, now.passed}, {}, nullptr, sites_.size()};
    keep_common_values(site);
    site.is_in_order = then.is_ordered || now.is_ordered;
    const bool is_whole = then.is_whole && now.is_whole;
    if (has_changed(site, then, now)) {
      site.site = &now.site;
    } else if (then.is_ordered && now.is_ordered && is_whole && !site.kept.empty()) {
      site.site = &now.site;
      site.is_constant = true;
    }
    if (site.site == nullptr && !now.is_learned)
      return;
    join_group(site);
    sites_.push_back(std::move(site));
  }

  std::vector<LearnedSeeds> learned() const {
    std::vector<LearnedSeeds> all;
    for (const Changing& site : sites_) {
      const Changed& of_group = groups_[site.group];
      if (site.site == nullptr || site.is_dealt || of_group.both(is_race))
        continue;
      const bool is_shared = std::ranges::count(sites_, site.group, &Changing::group) > 1;
      all.push_back(*site.site);
      all.back().is_constant = site.is_constant;
      all.back().entry = entry_of(site, of_group, is_shared ? sites_[site.group].name : "");
    }
    return all;
  }

private:
  /// What both runs passed did not change.
  static void keep_common_values(Changing& site) {
    const Passed before = site.values.first;
    for (const auto& [value, threads] : before) {
      const auto again = site.values.second.find(value);
      if (again == site.values.second.end())
        continue;
      site.is_dealt |= threads != again->second;
      site.kept.insert(value);
      site.values.second.erase(again);
      site.values.first.erase(value);
    }
  }

  static bool has_changed(const Changing& site, const SeedsOfSite& then, const SeedsOfSite& now) {
    // A value that one run alone passed may be one that the other's log does not have.
    const bool has_others = !site.values.first.empty() && !site.values.second.empty();
    const bool is_guess = then.is_guess || now.is_guess || then.is_ordered || now.is_ordered;
    const bool is_known = (then.is_whole && now.is_whole) || site.kept.empty();
    return is_known && has_others && (is_guess || then.effective != now.effective);
  }

  void join_group(Changing& site) {
    const auto known = std::ranges::find_if(sites_, [&](const Changing& other) {
      return share_one(other.values.first, site.values.first) &&
             share_one(other.values.second, site.values.second);
    });
    if (known != sites_.end())
      site.group = known->group;
    groups_.emplace_back();
    add_values(site.values.first, groups_[site.group].first);
    add_values(site.values.second, groups_[site.group].second);
  }

  static void add_values(const Passed& from, Passed& to) {
    for (const auto& [value, threads] : from)
      to[value].insert(threads.begin(), threads.end());
  }

  std::vector<Changing> sites_;
  std::vector<Changed> groups_; ///< as many
};

} // namespace

std::vector<LearnedSeeds> learn_seeds(const Log& one, const Log& other) {
  ChangingSites changing;
  const auto before = seeds_in(one), after = seeds_in(other);
  for (const auto& [name, now] : after)
    if (const auto then = before.find(name);
        then != before.end() && name.find_first_of("\"\\") == std::string::npos)
      changing.add(name, then->second, now);
  return changing.learned();
}

void add_seeds(const Log& log, ProgramState& state) {
  for (const auto& [name, seeds] : seeds_in(log)) {
    std::uint64_t hash = first_hash;
    for (const std::string& seed : seeds.is_whole ? seeds.effective : Values{})
      hash = hash_of(seed + ' ', hash);
    state.parts["seeds: " + name] = hash_digits(hash);
  }
}

} // namespace detshim
