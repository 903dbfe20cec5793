// The counts file beside a process's records: how often each record happened.
#pragma once

#include "log_reader/open_file.h"
#include "log_reader/record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace detshim {

struct CountEntry {
  std::uint64_t calls = 0;
  Action action = Action::none;
  bool is_exact = true; ///< false: the process may have counted a little further
};

/// Looks counts up in the file, of which it keeps little in memory: there may be millions.
class Counts {
public:
  explicit Counts(const std::string& file);

  /// The file is there and begins as one.
  bool can_be_read() const { return entries_known_; }

  /// There is no file of that name, or one that was just made: a process was killed there.
  bool is_missing() const { return is_missing_; }

  /// The entry of a record, with those linked to it; nothing if it is not there, of another action, or was
  /// taken already: it belongs to one record alone. What a record calls unfixed may have been given back: the
  /// entry then says observe.
  std::optional<CountEntry> take(std::uint64_t index, Action action);

  /// The same, whoever took it.
  std::optional<CountEntry> look_at(std::uint64_t index, Action action) {
    return look_at(index, action, false);
  }

  /// What no record took, by action.
  ActionCounts rest();

private:
  static constexpr std::size_t entry_size = 16;
  static constexpr std::size_t block_entries = 4096;

  struct Entry {
    CountEntry own;
    std::uint64_t next; ///< number, from 1, of one more entry of the same record; 0 without one
  };

  std::optional<CountEntry> look_at(std::uint64_t index, Action action, bool takes);
  std::optional<Entry> read(std::uint64_t index);
  void mark_taken(std::uint64_t index);
  bool read_block(std::uint64_t number);

  OpenFile file_;
  bool is_missing_;
  bool entries_known_ = false;
  std::uint64_t block_ = ~std::uint64_t{0}; ///< which one is held
  std::size_t block_length_ = 0;            ///< whole entries in it
  std::array<char, block_entries * entry_size> bytes_;
  std::vector<bool> taken_;
};

} // namespace detshim
