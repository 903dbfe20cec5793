#include "supervisor/process_log.h"

#include "common/counts_file.h"
#include "common/log_folder.h"
#include "common/record_schema.h"
#include "common/secrets.h"
#include "common/text.h"
#include "common/version.h"

#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {

ProcessLog::ProcessLog(const NamedProcess& name, StartRecord start,
                       std::function<void(const std::string&)> say)
    : name_(name), start_(std::move(start)), say_(std::move(say)) {}

ProcessLog::~ProcessLog() = default;

/// Makes both files, which are nobody else's then; false if one of the names is taken.
bool ProcessLog::make_files(const std::string& stem) {
  const auto make = [](const std::string& path, int flags) {
    return OwnedDescriptor(
        ::open(path.c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  };
  const std::string records = stem + ".jsonl", counts = stem + ".counts";
  file_ = make(records, O_WRONLY | O_APPEND);
  if (!file_) return false;
  counts_ = make(counts, O_RDWR);
  if (!counts_) {
    ::unlink(records.c_str());
    file_ = OwnedDescriptor();
    return false;
  }
  const CountsHeader header = counts_header(name_.run.c_str());
  if (::pwrite(counts_.number(), &header, sizeof header, 0) != sizeof header) {
    counts_ = OwnedDescriptor();
    complain("not all is");
  }
  return true;
}

void ProcessLog::complain(const char* what) {
  if (!name_.quiet && !has_complained_)
    say_("detshim: cannot write the log in " + name_.log_folder + "; " + what + " recorded of " +
         start_.program + "\n");
  has_complained_ = true;
}

void ProcessLog::open() {
  if (tried_) return;
  tried_ = true;
  std::vector<char> path(name_.log_folder.begin(), name_.log_folder.end());
  path.push_back(0);
  bool made = false;
  const int number = open_log_folder(path.data(), name_.log_is_default, true, made);
  if (number < 0) return complain("nothing is");
  const OwnedDescriptor folder(number);
  // Never a file of the library's: it may be in the same process (Go with a libc), or was before an exec.
  const std::string stem = "/proc/self/fd/" + std::to_string(number) + "/" + std::to_string(name_.rank) +
                           "-" + name_.path + "-" + std::to_string(start_.pid) + "-k";
  bool is_made = make_files(stem);
  for (int i = 1; i < 100 && !is_made; ++i) is_made = make_files(stem + "-" + std::to_string(i));
  if (!is_made) return complain("nothing is");
  if (made && name_.log_is_default) link_latest(number, name_.run.c_str(), start_.pid);
  if (name_.seed_drawn) {
    const OwnedDescriptor seed(claim_file(number, name_.run.c_str(), "seed"));
    const std::string number_text = std::to_string(name_.seed);
    const std::string text = number_text + "\n";
    if (seed && ::write(seed.number(), text.data(), text.size()) > 0 && !name_.quiet)
      say_("Using seed: " + number_text + "; the same run again: DETSHIM_SEED=" + number_text +
           " DETSHIM_MODE=record\n");
  }
  write_start();
}

void ProcessLog::write_line(TextWriter& line) {
  line.add('\n');
  const char* const text = line.c_str();
  const ssize_t length = static_cast<ssize_t>(line.length());
  if (!file_) return;
  const ssize_t written = ::write(file_.number(), text, line.length());
  if (written != length) complain("not all is");
  // What a full disk cut is closed, as far as there is room, before the next line.
  if (written > 0 && written < length && ::write(file_.number(), "\n", 1) < 0) file_ = OwnedDescriptor();
}

void ProcessLog::write_start() {
  Text<4096> line;
  RecordWriter<RecordType::start> record(line);
  record.number("v", log_format).text("detshim", detshim_version);
  record.text("run", name_.run.c_str()).number("begun", name_.begun);
  record.number("pid", static_cast<std::uint64_t>(start_.pid)).number("rank", name_.rank);
  record.text("path", name_.path);
  if (!name_.job.empty()) record.text("job", name_.job.c_str());
  record.text("program", start_.program.c_str());
  if (start_.working_directory.starts_with('/')) record.text("cwd", start_.working_directory.c_str());
  constexpr std::size_t most = 1600; // as the library shows
  const bool is_long = start_.arguments.size() > most;
  start_.arguments.resize(std::min(start_.arguments.size(), most));
  const std::size_t size = start_.arguments.size();
  start_.arguments.push_back(0);
  const Unshown unshown = add_arguments(line, start_.arguments.data(), size, DrawnParts::hidden);
  if (is_long || unshown.is_cut) record.flag("args_cut", true);
  record.text("mode", mode_name(name_.mode));
  record.text("policy", policy_name(name_.policy));
  record.decimal("seed", name_.seed).text("seed_from", name_.seed_drawn ? "drawn" : "DETSHIM_SEED");
  if (!name_.disabled.empty()) record.text("disabled", name_.disabled.c_str());
  if (!start_.layout.empty()) record.text("layout", start_.layout.c_str());
  record.end();
  write_line(line);
}

/// Written to, never mapped: a file that somebody cuts short would end the supervisor, and with it the run.
void ProcessLog::write_number(Counter& counter, bool is_final) {
  if (!counts_ || counter.index < 0) return;
  const CountsEntry entry = {counter.number, static_cast<std::uint32_t>(counter.action), is_final ? 1U : 0U};
  const long offset = offset_of_count(static_cast<std::uint64_t>(counter.index));
  if (::pwrite(counts_.number(), &entry, sizeof entry, offset) != sizeof entry) complain("not all is");
}

/// As the library counts: core/log/counts.h.
std::uint64_t& ProcessLog::count(Counter& counter) {
  if (++counter.number >= counter.write_at) {
    counter.write_at = next_written_count(counter.number);
    write_number(counter, false);
  }
  return counter.number;
}

std::uint64_t& ProcessLog::record(const CallRecord& call) {
  open();
  constexpr std::size_t most_records = 200; // then further calls share one
  const bool is_full = records_.size() >= most_records;
  std::string key = std::string(call.thread) + ' ' + call.function + ' ' + std::to_string(int(call.action));
  if (const auto known = records_.find(key + ' ' + call.path + ' ' + call.at); known != records_.end())
    return count(*known->second);
  if (!is_full) key += ' ' + call.path + ' ' + call.at;
  if (const auto known = records_.find(key); known != records_.end()) return count(*known->second);

  Counter& counter = counters_.emplace_back(Counter{call.action});
  if (counts_) counter.index = static_cast<std::int64_t>(counters_.size()) - 1;
  records_[key] = &counter;
  Text<4096> line;
  RecordWriter<RecordType::call> entry(line);
  entry.number("n", ++numbers_[call.thread]).text("thread", call.thread).text("lib", "kernel");
  entry.text("fn", call.function).text("do", action_names[static_cast<std::size_t>(call.action)]);
  if (!call.path.empty() && !is_full) line.add(",\"path\":\"").add_json(call.path.c_str(), 200).add('"');
  entry.text("why", reason_code(is_full ? Reason::values_not_written : call.why)).text("at", call.at.c_str());
  if (counter.index >= 0) entry.number("c", static_cast<std::uint64_t>(counter.index));
  entry.end();
  write_line(line);
  return count(counter);
}

void ProcessLog::end() {
  if (!file_) return;
  std::map<Action, std::uint64_t> sums;
  for (Counter& counter : counters_) {
    sums[counter.action] += counter.number;
    write_number(counter, true);
  }
  Text<4096> line;
  RecordWriter<RecordType::end> record(line);
  record.begin("counts").add('{');
  const char* before = "";
  for (const auto& [action, sum] : sums) {
    line.add(before).add('"').add(action_names[static_cast<std::size_t>(action)]).add("\":").add(sum);
    before = ",";
  }
  line.add('}');
  record.end();
  write_line(line);
  file_ = OwnedDescriptor();
}

} // namespace detshim
