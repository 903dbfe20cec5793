#include "log_reader/counts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include <unistd.h>

namespace detshim {
namespace {

constexpr std::size_t header_size = 64;
constexpr std::uint64_t last_exact_count = 32;  // up to there every number is written
constexpr std::uint64_t most_threads = 1 << 16; // of one record: a damaged file may lead in a circle
constexpr std::uint64_t most_entries = 1 << 26; // a file with a hole may claim any size

std::uint64_t little_endian(const char* bytes, std::size_t size) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, size);
  return number;
}

/// Reads until `size` or the file's end; what was read.
std::size_t read_at(int descriptor, char* to, std::size_t size, std::uint64_t offset) {
  std::size_t length = 0;
  ssize_t count = 0;
  while (length < size &&
         (count = ::pread(descriptor, to + length, size - length, static_cast<off_t>(offset + length))) > 0)
    length += static_cast<std::size_t>(count);
  return length;
}

} // namespace

Counts::Counts(const std::string& file)
    : file_(file), is_missing_(file_ ? file_.size() == 0 : ::access(file.c_str(), F_OK) != 0) {
  char header[header_size];
  entries_known_ = file_ && read_at(file_.descriptor(), header, sizeof header, 0) == sizeof header &&
                   std::string_view(header, 8) == "DETSHIMC" && little_endian(header + 8, 4) == 1 &&
                   little_endian(header + 12, 4) == entry_size;
}

bool Counts::read_block(std::uint64_t number) {
  if (block_ != number) {
    const std::size_t length =
        read_at(file_.descriptor(), bytes_.data(), bytes_.size(), header_size + number * bytes_.size());
    block_length_ = length / entry_size;
    block_ = number;
  }
  return block_length_ > 0;
}

std::optional<Counts::Entry> Counts::read(std::uint64_t index) {
  if (!entries_known_ || index >= most_entries || !read_block(index / block_entries) ||
      index % block_entries >= block_length_)
    return std::nullopt;
  const char* const bytes = bytes_.data() + index % block_entries * entry_size;
  const std::uint64_t action = little_endian(bytes + 8, 4);
  const std::uint64_t calls = little_endian(bytes, 8);
  const std::uint64_t link = little_endian(bytes + 12, 4);
  return Entry{{calls, action < action_count ? static_cast<Action>(action) : Action::none,
                calls <= last_exact_count || (link & 1) != 0},
               link >> 1};
}

void Counts::mark_taken(std::uint64_t index) {
  if (index >= taken_.size()) taken_.resize(std::max<std::size_t>(index + 1, 2 * taken_.size()));
  taken_[index] = true;
}

std::optional<CountEntry> Counts::look_at(std::uint64_t index, Action action, bool takes) {
  const std::optional<Entry> first = read(index);
  if (!first) return std::nullopt;
  const bool is_taken_back = action == Action::unfixed && first->own.action == Action::observe;
  if (first->own.action != action && !is_taken_back) return std::nullopt;
  if (takes) mark_taken(index);
  CountEntry sum = first->own;
  std::uint64_t steps = 0;
  for (std::uint64_t next = first->next; next != 0;) {
    const std::optional<Entry> further = read(next - 1);
    if (!further || ++steps > most_threads || (takes && next - 1 < taken_.size() && taken_[next - 1]))
      return CountEntry{first->own.calls, first->own.action, false};
    sum.calls = saturated_sum(sum.calls, further->own.calls);
    sum.is_exact &= further->own.is_exact;
    if (takes) mark_taken(next - 1);
    next = further->next;
  }
  return sum;
}

std::optional<CountEntry> Counts::take(std::uint64_t index, Action action) {
  if (index < taken_.size() && taken_[index]) return std::nullopt;
  return look_at(index, action, true);
}

ActionCounts Counts::rest() {
  ActionCounts sums{};
  for (std::uint64_t i = 0; entries_known_ && i < most_entries; ++i) {
    const std::optional<Entry> entry = read(i);
    if (!entry) break;
    if (entry->own.action == Action::none || (i < taken_.size() && taken_[i])) continue;
    std::uint64_t& sum = sums[static_cast<std::size_t>(entry->own.action)];
    sum = saturated_sum(sum, entry->own.calls);
  }
  return sums;
}

} // namespace detshim
