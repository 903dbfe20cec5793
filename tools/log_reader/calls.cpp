// Decides what is kept of calls while a log is read. Of each symbol all call sites and reason codes
// are kept, and of its values those of the most calls: where there are more than 512, some 256
// stay.
//
// It cannot know which values come again. One that was dropped counts from then on only, so the
// number of its calls may be too small.
#include "log_reader/calls.h"

#include <algorithm>

namespace detshim {

std::size_t FoldedCalls::severity(Action action) {
  return static_cast<std::size_t>(std::ranges::find(actions_worst_first, action) -
                                  actions_worst_first);
}

void SymbolCalls::add_example(const std::vector<Field>& fields, const CallCount& calls) {
  constexpr std::size_t most_examples = 256;
  examples[fields].add(calls);
  if (examples.size() <= 2 * most_examples)
    return;
  // Those of the most calls stay. To do it for many at once costs little for each.
  std::vector<std::uint64_t> numbers;
  for (const auto& example : examples)
    numbers.push_back(example.second.calls);
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
  if (!call.fields.empty())
    add_example(call.fields, calls);
  if (const auto known = places.find(std::tie(call.at, call.frames, call.python));
      known != places.end())
    known->second.add(calls);
  else
    places.emplace(std::tie(call.at, call.frames, call.python), calls);
  if (!call.why.empty())
    reasons.insert(call.why);
}

void SymbolCalls::add(SymbolCalls& other) {
  count.add(other.count);
  for (const auto& [fields, calls] : other.examples)
    add_example(fields, calls);
  examples_left_out += other.examples_left_out;
  for (const auto& [place, calls] : other.places)
    places[place].add(calls);
  reasons.merge(other.reasons);
  ranks.merge(other.ranks);
}

SymbolCalls& FoldedCalls::of(const Call& call) {
  const auto known = symbols.find(call);
  if (known != symbols.end())
    return known->second;
  return symbols.try_emplace({call.library, call.function, call.action}).first->second;
}

void FoldedCalls::add(FoldedCalls&& other) {
  symbols.merge(other.symbols);
  for (auto& [symbol, calls] : other.symbols)
    symbols.find(symbol)->second.add(calls);
}

} // namespace detshim
