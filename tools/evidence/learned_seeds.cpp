#include "evidence/learned_seeds.h"

#include "common/run_agreements.h"
#include "support/hash.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace detshim {
namespace {

using Values = std::set<std::string>;
/// By value, who passed it: threads of processes.
using Passed = std::map<std::string, std::set<std::pair<const Process*, std::string>>>;

/// What the processes of one run passed at one call site.
struct SeedsOfSite {
  Passed passed;
  Values effective;
  bool is_whole = true; ///< false: it was more than a log holds
  bool is_learned = false;
  bool is_guess = false; ///< the library took one for an address: another number may look like one by chance
  LearnedSeeds site;
};

constexpr std::array seed_reasons = {Reason::own_value,  Reason::unexplained_seed, Reason::learned_seed,
                                     Reason::clock_seed, Reason::id_seed,          Reason::address_seed};

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
    const Reason why = reason_of(call.why);
    const std::string* const requested = find_field(call.fields, "requested");
    const std::string* const effective = find_field(call.fields, "effective");
    if (why == Reason::values_not_written) sites[name_of(call)].is_whole = false;
    if (requested == nullptr || effective == nullptr || std::ranges::count(seed_reasons, why) == 0) return;
    SeedsOfSite& seeds = sites[name_of(call)];
    seeds.passed[*requested].emplace(&process, call.thread);
    seeds.effective.insert(*effective);
    seeds.is_learned |= why == Reason::learned_seed;
    seeds.is_guess |= why == Reason::address_seed;
    seeds.site = {"", name_of(call), call.at, call.frames, call.python};
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
  std::size_t group;        ///< index of the first that passed one value with it in both runs: in all, then
};

bool share_one(const Passed& one, const Passed& other) {
  return std::ranges::any_of(one, [&](const auto& passed) { return other.contains(passed.first); });
}

/// True if several processes passed values, and all the same ones.
bool is_of_all_processes(const Passed& passed) {
  std::map<const Process*, Values> all;
  for (const auto& [value, threads] : passed)
    for (const auto& [process, thread] : threads) all[process].insert(value);
  return all.size() > 1 &&
         std::ranges::all_of(all, [&](const auto& one) { return one.second == all.begin()->second; });
}

bool is_of_threads(const Passed& passed) {
  return std::ranges::any_of(passed, [](const auto& one) { return one.second.size() > 1; });
}

/// Of several values that threads of one process share, which comes first is a race: no order tells them
/// apart.
bool is_race(const Passed& passed) {
  return passed.size() > 1 && std::ranges::any_of(passed, [](const auto& one) {
           const auto process_of = [](const auto& thread) { return thread.first; };
           return std::ranges::adjacent_find(one.second, {}, process_of) != one.second.end();
         });
}

std::string as_word(std::string name) {
  std::ranges::replace(name, ' ', blank_in_name);
  return name;
}

std::string entry_of(const Changing& site, const Changed& of_group, const std::string& group) {
  std::string entry = as_word(site.name);
  if (!group.empty()) entry += " =" + as_word(group);
  if (site.values.both(is_of_all_processes)) entry += std::string(" ") + of_all_processes;
  if (of_group.both(is_of_threads)) entry += std::string(" ") + of_all_threads;
  for (const std::string& value : site.kept) entry += ' ' + value;
  return entry;
}

} // namespace

std::vector<LearnedSeeds> learn_seeds(const Log& one, const Log& other) {
  std::vector<Changing> changing;
  std::vector<Changed> groups; // as many
  const auto before = seeds_in(one), after = seeds_in(other);
  for (const auto& [name, now] : after) {
    const auto found = before.find(name);
    if (found == before.end() || name.find_first_of("\"\\") != std::string::npos) continue;
    const SeedsOfSite& then = found->second;
    Changing site{name, {then.passed, now.passed}, {}, nullptr, changing.size()};
    Passed &first = site.values.first, &second = site.values.second;
    for (const auto& [value, threads] : then.passed)
      if (second.erase(value) > 0) site.kept.insert(value), first.erase(value);
    const bool is_guess = (then.is_guess || now.is_guess) && !(first.empty() && second.empty());
    const bool is_known = (then.is_whole && now.is_whole) || site.kept.empty();
    if (is_known && (is_guess || then.effective != now.effective)) site.site = &now.site;
    if (site.site == nullptr && !now.is_learned) continue;
    const auto group = std::ranges::find_if(changing, [&](const Changing& known) {
      return share_one(known.values.first, first) && share_one(known.values.second, second);
    });
    if (group != changing.end()) site.group = group->group;
    groups.emplace_back();
    for (const auto& [value, threads] : first)
      groups[site.group].first[value].insert(threads.begin(), threads.end());
    for (const auto& [value, threads] : second)
      groups[site.group].second[value].insert(threads.begin(), threads.end());
    changing.push_back(std::move(site));
  }
  std::vector<LearnedSeeds> learned;
  for (const Changing& site : changing) {
    const bool is_shared = std::ranges::count(changing, site.group, &Changing::group) > 1;
    if (site.site == nullptr || groups[site.group].both(is_race)) continue;
    learned.push_back(*site.site);
    learned.back().entry = entry_of(site, groups[site.group], is_shared ? changing[site.group].name : "");
  }
  return learned;
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
