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

std::optional<CountEntry> Counts::read(std::uint64_t index) {
  if (!entries_known_ || index >= most_entries || !read_block(index / block_entries) ||
      index % block_entries >= block_length_)
    return std::nullopt;
  const char* const bytes = bytes_.data() + index % block_entries * entry_size;
  const std::uint64_t action = little_endian(bytes + 8, 4);
  const std::uint64_t calls = little_endian(bytes, 8);
  return CountEntry{calls, action < action_count ? static_cast<Action>(action) : Action::none,
                    calls <= last_exact_count || little_endian(bytes + 12, 4) == 1};
}

std::optional<CountEntry> Counts::look_at(std::uint64_t index, Action action) {
  const std::optional<CountEntry> entry = read(index);
  if (!entry) return std::nullopt;
  const bool is_taken_back = action == Action::unfixed && entry->action == Action::observe;
  return entry->action == action || is_taken_back ? entry : std::nullopt;
}

std::optional<CountEntry> Counts::take(std::uint64_t index, Action action) {
  if (index < taken_.size() && taken_[index]) return std::nullopt;
  const std::optional<CountEntry> entry = look_at(index, action);
  if (!entry) return std::nullopt;
  if (index >= taken_.size()) taken_.resize(std::max<std::size_t>(index + 1, 2 * taken_.size()));
  taken_[index] = true;
  return entry;
}

ActionCounts Counts::rest() {
  ActionCounts sums{};
  for (std::uint64_t i = 0; entries_known_ && i < most_entries; ++i) {
    const std::optional<CountEntry> entry = read(i);
    if (!entry) break;
    if (entry->action == Action::none || (i < taken_.size() && taken_[i])) continue;
    std::uint64_t& sum = sums[static_cast<std::size_t>(entry->action)];
    sum = saturated_sum(sum, entry->calls);
  }
  return sums;
}

} // namespace detshim
