// detshim tuning: makes one tuning file of several ranks' (docs/TUNING_FILE.md).
#include "log_reader/printable.h"
#include "support/hash.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <string_view>
#include <vector>

namespace detshim {
namespace {

constexpr std::string_view head = "{\"detshim_tuning\": 2, ";
constexpr std::string_view before_sum = "\", \"sum\": \"";
constexpr std::string_view before_choice = "\", \"choice\": \"";
constexpr std::string_view line_end = "\"}";

std::string sum_of(std::string_view text) { return hash_digits(hash_of(text)); }

/// The last choices of a file by their problems, both as they stand in it. Throws UsageError.
std::map<std::string, std::string> read_tuning(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) throw UsageError(in_quotes(file) + " cannot be read");
  std::map<std::string, std::string> choices;
  for (std::string line; std::getline(input, line);) {
    const std::size_t choice = line.find(before_choice), sum = line.rfind(before_sum);
    const bool is_whole = line.starts_with(head) && choice != line.npos && sum != line.npos && sum > choice &&
                          !input.eof() &&
                          line.substr(sum + before_sum.size()) ==
                              sum_of(std::string_view(line).substr(0, sum)) + std::string(line_end);
    if (!is_whole) {
      choices.clear();
      break;
    }
    const std::size_t from = choice + before_choice.size();
    choices[line.substr(0, choice)] = line.substr(from, sum - from);
  }
  if (choices.empty())
    throw UsageError(in_quotes(file) + " is no unchanged file that DETSHIM_AUTOTUNE=record:FILE has written");
  return choices;
}

/// What a rank votes for: the candidate, not how long it took there.
std::string_view candidate_of(std::string_view choice) {
  const std::size_t of = choice.find(" of ");
  return choice.starts_with("first=") && of != choice.npos ? choice.substr(of + 4) : choice;
}

struct Vote {
  std::string choice;             ///< of the first rank that took it
  std::vector<std::size_t> ranks; ///< their numbers, in the order of the files
};

/// What is printed of a problem on which the ranks do not agree.
void print_difference(const std::string& problem, const std::vector<Vote>& votes,
                      const std::vector<std::string>& files) {
  std::cout << printable(problem) << "\"}\n";
  const char* role = "  taken ";
  for (const Vote& vote : votes) {
    std::cout << role << printable(std::string(candidate_of(vote.choice))) << "  (" << vote.ranks.size()
              << " of " << files.size() << ':';
    for (const std::size_t rank : vote.ranks) std::cout << ' ' << printable(files[rank]);
    std::cout << ")\n";
    role = "  left  ";
  }
}

} // namespace

int tuning(const TuningOptions& options) {
  std::map<std::string, std::vector<Vote>> problems;
  for (std::size_t rank = 0; rank < options.files.size(); ++rank)
    for (const auto& choice : read_tuning(options.files[rank])) { // a problem and what was taken
      std::vector<Vote>& votes = problems[choice.first];
      const auto same = std::ranges::find_if(
          votes, [&](const Vote& vote) { return candidate_of(vote.choice) == candidate_of(choice.second); });
      if (same == votes.end())
        votes.push_back({choice.second, {rank}});
      else
        same->ranks.push_back(rank);
    }

  std::string text;
  std::size_t differences = 0;
  for (auto& [problem, votes] : problems) {
    // Votes are in the order of the ranks: of equals the first stays.
    std::ranges::stable_sort(votes, std::greater(), [](const Vote& vote) { return vote.ranks.size(); });
    if (votes.size() > 1) print_difference(problem, votes, options.files), ++differences;
    const std::string line = problem + std::string(before_choice) + votes.front().choice;
    text += line + std::string(before_sum) + sum_of(line) + std::string(line_end) + '\n';
  }

  std::ofstream output(options.output, std::ios::binary | std::ios::trunc);
  if (!(output << text) || !output.flush())
    throw UsageError(in_quotes(options.output) + " cannot be written");
  std::cout << problems.size() << " choices of " << options.files.size() << " files, " << differences
            << " not alike: " << printable(options.output) << '\n';
  return done;
}

} // namespace detshim
