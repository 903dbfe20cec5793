// The layout of a counts file, docs/LOG_FORMAT.md: written and read by the library, read by
// the command. Numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

inline constexpr char counts_magic[] = "DETSHIMC"; // without the closing zero
inline constexpr uint32_t counts_format = 1;

/// Every number up to here is written, and from here on at least 32 of 33.
inline constexpr uint64_t last_exact_count = 32;

/// The number at which the file is told next.
constexpr uint64_t next_written_count(uint64_t number) {
  return number + 1 + number / last_exact_count;
}

struct CountsHeader {
  char magic[8];
  uint32_t format;
  uint32_t entry_size;
  char run[32]; ///< the run's name, filled up with zeros
  uint32_t has_further_processes;
  char zero[12];
};

struct CountsEntry {
  uint64_t number;   ///< of calls; for process_entry a process id
  uint32_t action;   ///< 0: not in use
  uint32_t is_final; ///< 1 if `number` is the last, else 0
};

/// In `action`: the entry of a further process that counts in this file.
inline constexpr uint32_t process_entry = 255;

static_assert(sizeof(CountsHeader) == 64 && offsetof(CountsHeader, run) == 16 &&
              offsetof(CountsHeader, has_further_processes) == 48);
static_assert(sizeof(CountsEntry) == 16 && offsetof(CountsEntry, action) == 8 &&
              offsetof(CountsEntry, is_final) == 12);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

/// A header for a run of that name, which is shorter than its place.
constexpr CountsHeader counts_header(const char* run, bool has_further_processes = false) {
  CountsHeader header = {};
  for (size_t i = 0; i < sizeof header.magic; ++i)
    header.magic[i] = counts_magic[i];
  header.format = counts_format;
  header.entry_size = sizeof(CountsEntry);
  for (size_t i = 0; i < sizeof header.run && run[i] != 0; ++i)
    header.run[i] = run[i];
  header.has_further_processes = has_further_processes ? 1 : 0;
  return header;
}

constexpr bool is_counts_header(const CountsHeader& header) {
  return __builtin_memcmp(header.magic, counts_magic, sizeof header.magic) == 0 &&
         header.format == counts_format && header.entry_size == sizeof(CountsEntry);
}

constexpr long offset_of_count(uint64_t entry) {
  return static_cast<long>(sizeof(CountsHeader) + entry * sizeof(CountsEntry));
}

} // namespace detshim
