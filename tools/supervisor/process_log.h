// The log of one process that the library is not in, written for it: docs/LOG_FORMAT.md.
#pragma once

#include "common/describe.h"
#include "common/reasons.h"
#include "supervisor/process_name.h"
#include "support/descriptor.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>

namespace detshim {

/// What a call record says of a system call.
struct CallRecord {
  Action action;
  const char* thread;   ///< "0" or "?"
  const char* function; ///< getrandom or openat
  std::string path;     ///< of the device; empty for getrandom
  Reason why;
  std::string at; ///< file of the program and offset in it
};

/// What a start record says besides the name.
struct StartRecord {
  int pid = 0;
  std::string program, working_directory, arguments, layout; ///< arguments: each null-terminated
};

class ProcessLog {
public:
  /// Nothing is made before the first record. `say` writes a line on the process's stderr.
  ProcessLog(const NamedProcess& name, StartRecord start, std::function<void(const std::string&)> say);
  ~ProcessLog();
  ProcessLog& operator=(ProcessLog&&) = delete; // neither copied nor moved

  /// Writes a record the first time, counts it every time. Returns its counter.
  std::uint64_t& record(const CallRecord& call);

  /// The process is gone: the closing record.
  void end();

private:
  struct Counter {
    Action action;
    std::uint64_t number = 0, write_at = 0;
    std::int64_t index = -1; // in the counts file
  };

  void open();
  void complain(const char* what);
  bool make_files(const std::string& stem);
  void write_number(Counter& counter, bool is_final);
  std::uint64_t& count(Counter& counter);
  void write_start();
  void write_line(class TextWriter& line);

  const NamedProcess& name_;
  StartRecord start_;
  std::function<void(const std::string&)> say_;
  bool tried_ = false, has_complained_ = false;
  OwnedDescriptor file_, counts_;
  std::deque<Counter> counters_; // they stay where they are
  std::map<std::string, Counter*> records_;
  std::map<std::string, std::uint64_t> numbers_; // of records, by thread
};

} // namespace detshim
