// The intercept log: what was asked, what was given, why, and where. Format: docs/LOG_FORMAT.md.
//
// One record is one stack buffer and one write(2) to an O_APPEND descriptor, so records survive
// SIGKILL, exec and fork without an exit handler. Nothing is made on disk before the first record.
#pragma once

#include "common/describe.h"
#include "common/seed_rules.h"
#include "core/base/table.h"
#include "core/log/counts.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace detshim {

/// A value of one of a record's fields.
struct Value {
  Value(const char* t) : text(t) {}
  Value(uint64_t n) : number(n) {}
  Value(int64_t n) : number(static_cast<uint64_t>(n < 0 ? -n : n)), negative(n < 0) {}
  Value(unsigned n) : number(n) {}
  Value(int n) : Value(static_cast<int64_t>(n)) {}

  const char* text = nullptr; ///< or else the number
  uint64_t number = 0;
  bool negative = false;
};

/// What a record is about, besides its values.
struct Subject {
  const char* library;
  const char* symbol;
  const char (*fields)[20]; ///< names of the values, 4 of them
  bool is_own =
      true; ///< false: nothing was drawn by it, and the process keeps a name that it took over
};

/// Records one call: writes a line the first time that this thread makes it from that place with
/// those values, counts it every time. Returns its counter, which the caller may add to for the
/// same call (hot draws). A record of Action::observe alone makes no log: until another record
/// does, it is only counted in memory. Preserves errno. `why` is a few words; `caller` a return
/// address.
Counter* record(const Subject& subject, Action action, const void* caller, Why why,
                std::initializer_list<Value> values);

/// What the calling thread remembers of its calls' places, by address: a key made by record(), or
/// by another part, and a counter's address, which that part may add bits to. Forgotten in a forked
/// child, and at some time after an object was unloaded.
Table<8>& call_sites_of_this_thread();

/// What it remembers until it ends. Forgotten in a forked child.
Table<8>& kept_of_this_thread();

/// How many records a thread has written, where others may write in its name: a record of its own
/// each.
struct RecordNumbers {
  uint64_t written;
};
/// Has the calling thread's records numbered there, from the next one on; by the thread itself
/// again with nullptr. Counted in with the log's lock held.
void number_records_in(RecordNumbers* numbers);

/// The calling thread ends: gives the places' memory back.
void leave_records();

/// Records which library answers under that name; `version` may be nullptr.
void record_library(const char* name, const char* file, const char* version);

/// Writes one finished line of JSON, without its newline, if there is a log, or if it `begins_log`;
/// docs/LOG_FORMAT.md.
void record_line(const char* line, size_t length, bool begins_log = false);

/// Begins the log of this process, before the call `what` by which it may give up the rights to.
void begin_log(const char* what);

/// To be called before a program is executed in this process, or in a child that is about to be
/// made (`spawns`): what was counted here is written, and if that program will not be able to write
/// its log, the log reports it.
void prepare_log_for(char* const argv[], bool spawns);

/// True if this process has a log that can be written to.
bool has_log();

} // namespace detshim
