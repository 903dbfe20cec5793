// Decides how often a call was made, by the entry of the counts file that its record names. A
// number is exact up to last_exact_count, or if the process wrote it as the last; else there were
// at least so many. An entry counts once, for a record of the same action or of one that was taken
// back. Entries that no record has named are calls without a record.
//
// It cannot know by how much a number falls short.
#include "log_reader/counts.h"

#include <algorithm>

#include <unistd.h>

namespace detshim {
namespace {

constexpr std::uint64_t most_entries = 1 << 26; // a file with a hole may claim any size

/// Reads until `size` or the file's end; what was read.
std::size_t read_at(int descriptor, void* to, std::size_t size, std::uint64_t offset) {
  std::size_t length = 0;
  ssize_t count = 0;
  while (length < size && (count = ::pread(descriptor, static_cast<char*>(to) + length,
                                           size - length, static_cast<off_t>(offset + length))) > 0)
    length += static_cast<std::size_t>(count);
  return length;
}

} // namespace

CallCount count_of(const std::optional<CountEntry>& entry) {
  if (!entry)
    return {1, false};
  // An entry that still counts 0 is of a call that never returned: it was made all the same.
  return {std::max<std::uint64_t>(entry->calls, 1), entry->calls > 0 && entry->is_exact};
}

Counts::Counts(const std::string& file) : file_(file) {
  CountsHeader header;
  entries_known_ = file_ &&
                   read_at(file_.descriptor(), &header, sizeof header, 0) == sizeof header &&
                   is_counts_header(header);
}

bool Counts::read_block(std::uint64_t number) {
  if (block_number_ != number) {
    const auto offset = static_cast<std::uint64_t>(offset_of_count(number * block_.size()));
    block_length_ =
        read_at(file_.descriptor(), block_.data(), sizeof block_, offset) / sizeof(CountsEntry);
    block_number_ = number;
  }
  return block_length_ > 0;
}

std::optional<CountEntry> Counts::read(std::uint64_t index) {
  if (!entries_known_ || index >= most_entries || !read_block(index / block_.size()) ||
      index % block_.size() >= block_length_)
    return std::nullopt;
  const CountsEntry& entry = block_[index % block_.size()];
  return CountEntry{entry.number,
                    entry.action < action_count ? static_cast<Action>(entry.action) : Action::none,
                    entry.number <= last_exact_count || entry.is_final != 0};
}

void Counts::mark_taken(std::uint64_t index) {
  if (index >= taken_.size())
    taken_.resize(std::max<std::size_t>(index + 1, 2 * taken_.size()));
  taken_[index] = true;
}

std::optional<CountEntry> Counts::look_at(std::uint64_t index, Action action) {
  const std::optional<CountEntry> entry = read(index);
  if (!entry)
    return std::nullopt;
  const bool is_taken_back = action == Action::nondeterministic && entry->action == Action::observe;
  return entry->action == action || is_taken_back ? entry : std::nullopt;
}

std::optional<CountEntry> Counts::take(std::uint64_t index, Action action) {
  if (index < taken_.size() && taken_[index])
    return std::nullopt;
  const std::optional<CountEntry> entry = look_at(index, action);
  if (entry)
    mark_taken(index);
  return entry;
}

ActionCounts Counts::rest() {
  ActionCounts sums{};
  for (std::uint64_t i = 0; entries_known_ && i < most_entries; ++i) {
    const std::optional<CountEntry> entry = read(i);
    if (!entry)
      break;
    if (entry->action == Action::none || (i < taken_.size() && taken_[i]))
      continue;
    std::uint64_t& sum = sums[static_cast<std::size_t>(entry->action)];
    sum = saturated_sum(sum, entry->calls);
  }
  return sums;
}

} // namespace detshim
