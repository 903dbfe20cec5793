#include "log_reader/calls.h"
#include "common/reasons.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

constexpr std::size_t most_examples = 256;
constexpr std::size_t most_seeds = 4096;
constexpr std::size_t most_values_of_a_seed = 16;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefxABCDEF") == std::string_view::npos &&
         text.front() >= '0' && text.front() <= '9';
}

} // namespace

std::size_t FoldedCalls::severity(Action action) {
  return static_cast<std::size_t>(std::ranges::find(actions_worst_first, action) - actions_worst_first);
}

void SymbolCalls::add_example(const std::vector<Field>& fields, const CallCount& calls) {
  examples[fields].add(calls);
  if (examples.size() <= 2 * most_examples) return;
  // Those of the most calls stay. To do it for many at once costs little for each.
  std::vector<std::uint64_t> numbers;
  for (const auto& example : examples) numbers.push_back(example.second.calls);
  const auto middle = numbers.begin() + most_examples;
  std::ranges::nth_element(numbers, middle, std::ranges::greater());
  std::size_t kept = 0;
  std::erase_if(examples, [&](const auto& example) {
    const bool stays =
        example.second.calls > *middle || (example.second.calls == *middle && kept < most_examples);
    kept += stays ? 1 : 0;
    examples_left_out += stays ? 0 : 1;
    return !stays;
  });
}

void SymbolCalls::add(const Call& call, const CallCount& calls) {
  count.add(calls);
  if (!call.fields.empty()) add_example(call.fields, calls);
  if (const auto known = places.find(std::tie(call.at, call.frames, call.python)); known != places.end())
    known->second.add(calls);
  else
    places.emplace(std::tie(call.at, call.frames, call.python), calls);
  if (!call.why.empty() && !reasons.contains(call.why)) reasons.insert(call.why);
}

void SymbolCalls::add(SymbolCalls& other) {
  count.add(other.count);
  for (const auto& [fields, calls] : other.examples) add_example(fields, calls);
  examples_left_out += other.examples_left_out;
  for (const auto& [place, calls] : other.places) places[place].add(calls);
  reasons.merge(other.reasons);
  ranks.merge(other.ranks);
  records.insert(records.end(), other.records.begin(), other.records.end());
  other.records.clear();
}

SymbolCalls& FoldedCalls::of(const Call& call) {
  const auto known = symbols.find(call);
  if (known != symbols.end()) return known->second;
  return symbols.try_emplace({call.library, call.function, call.action}).first->second;
}

/// Seeds that several ranks ask for alike and are given different ones for.
void FoldedCalls::add_seed(std::int64_t rank, const Call& call) {
  const std::string* const asked = find_field(call.fields, "asked");
  const std::string* const given = find_field(call.fields, "given");
  // Values of a clock are equal by chance, and no policy would keep them so.
  constexpr Reason clock_values[] = {Reason::clock_seed, Reason::clock_of_other_process,
                                     Reason::clock_by_chance, Reason::seeded_by_runtime,
                                     Reason::unexplained_seed};
  const bool is_clock_value =
      std::ranges::any_of(clock_values, [&](Reason reason) { return call.why == reason_code(reason); });
  if (call.action != Action::pin || asked == nullptr || given == nullptr || !is_number(*asked) ||
      is_clock_value)
    return;
  std::tuple<std::string, std::string, std::string> key(call.library, call.function, *asked);
  const auto known = seeds.find(key);
  if (known == seeds.end() && seeds.size() >= most_seeds) return;
  AskedSeed& seed = known == seeds.end() ? seeds[std::move(key)] : known->second;
  seed.ranks.insert(rank);
  if (seed.given.size() < most_values_of_a_seed) seed.given.insert(*given);
}

void FoldedCalls::add(FoldedCalls&& other) {
  symbols.merge(other.symbols);
  for (auto& [symbol, calls] : other.symbols) symbols.find(symbol)->second.add(calls);
  seeds.merge(other.seeds);
  for (auto& [key, seed] : other.seeds) {
    AskedSeed& mine = seeds.find(key)->second;
    mine.ranks.merge(seed.ranks);
    mine.given.merge(seed.given);
  }
  while (seeds.size() > most_seeds) seeds.erase(std::prev(seeds.end()));
}

} // namespace detshim
