#include "log_reader/counts.h"

#include "log_reader/open_file.h"

#include <cstring>
#include <string>
#include <string_view>

#include <unistd.h>

namespace detshim {
namespace {

constexpr std::size_t header_size = 64;
constexpr std::size_t entry_size = 16;
constexpr std::uint64_t last_exact_count = 32; // up to there every number is written
constexpr std::size_t largest_file = header_size + entry_size * 4'000'000;

std::uint64_t little_endian(const char* bytes, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

std::string read_whole(int descriptor) {
  std::string bytes;
  char buffer[65536];
  ssize_t count = 0;
  while (bytes.size() < largest_file && (count = ::read(descriptor, buffer, sizeof buffer)) > 0)
    bytes.append(buffer, static_cast<std::size_t>(count));
  return bytes;
}

} // namespace

std::optional<std::vector<CountEntry>> read_counts(const std::filesystem::path& file) {
  const OpenFile input(file);
  if (!input) return std::nullopt;
  const std::string bytes = read_whole(input.descriptor());
  if (bytes.size() < header_size || !std::string_view(bytes).starts_with("DETSHIMC") ||
      little_endian(&bytes[8], 4) != 1 || little_endian(&bytes[12], 4) != entry_size)
    return std::nullopt;

  std::vector<CountEntry> entries;
  for (std::size_t at = header_size; at + entry_size <= bytes.size(); at += entry_size) {
    const std::uint64_t calls = little_endian(&bytes[at], 8);
    const std::uint64_t action = little_endian(&bytes[at + 8], 4);
    entries.push_back({calls, action < action_count ? static_cast<Action>(action) : Action::none,
                       calls <= last_exact_count || little_endian(&bytes[at + 12], 4) == 1});
  }
  return entries;
}

} // namespace detshim
