// The counts file beside a process's records: how often each record happened.
#pragma once

#include "common/counts_file.h"
#include "log_reader/calls.h"
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

/// How often the call of a record was made, whose entry that is; nothing where it has none.
CallCount count_of(const std::optional<CountEntry>& entry);

/// Looks counts up in the file, of which it keeps little in memory: there may be millions.
class Counts {
public:
  explicit Counts(const std::string& file);

  /// The file is there and begins as one.
  bool can_be_read() const { return entries_known_; }

  /// The entry of a record; nothing if it is not there, of another action, or was
  /// taken already: it belongs to one record alone. What a record calls nondeterministic may have
  /// been given back: the entry then says observe.
  std::optional<CountEntry> take(std::uint64_t index, Action action);

  /// The same, whoever took it.
  std::optional<CountEntry> look_at(std::uint64_t index, Action action);

  /// What no record took, by action.
  ActionCounts rest();

private:
  std::optional<CountEntry> read(std::uint64_t index);
  void mark_taken(std::uint64_t index);
  bool read_block(std::uint64_t number);

  OpenFile file_;
  bool entries_known_ = false;
  std::uint64_t block_number_ = ~std::uint64_t{0}; ///< of the block that is held
  std::size_t block_length_ = 0;                   ///< whole entries in it
  std::array<CountsEntry, 4096> block_;
  std::vector<bool> taken_;
};

} // namespace detshim
