#include "supervisor/process_log.h"

#include "core/arguments.h"
#include "core/log_folder.h"
#include "core/text.h"
#include "core/version.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace detshim {

struct ProcessLog::Entry {
  std::uint64_t number;
  std::uint32_t action, zero;
};

namespace {

constexpr std::size_t counts_size = 16384; // as the library makes it
constexpr std::int64_t header_entries = 4; // the header takes the room of so many
constexpr std::size_t record_limit = 200;  // then further calls share one record
constexpr const char* mode_names[] = {"enforce", "record", "observe", "strict", "off"};
constexpr const char* policy_names[] = {"fixed", "mix", "keep"};

struct CountsHeader {
  char magic[8];
  std::uint32_t version, entry_size;
  char run[32];
  char zero[16];
};

void add_text(TextWriter& line, const char* key, const std::string& text, std::size_t limit = 512) {
  line.add(",\"").add(key).add("\":\"").add_json(text.c_str(), limit).add('"');
}

} // namespace

ProcessLog::ProcessLog(const NamedProcess& name, StartRecord start,
                       std::function<void(const std::string&)> say)
    : name_(name), start_(std::move(start)), say_(std::move(say)) {}

ProcessLog::~ProcessLog() {
  if (counts_ != nullptr) ::munmap(counts_, counts_size);
}

bool ProcessLog::make_counts_file(const std::string& path) {
  const OwnedDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return false;
  // Its pages exist before they are written to: on a full disk a write to the mapping would be fatal.
  if (::posix_fallocate(file.number(), 0, counts_size) != 0) return true;
  void* const memory = ::mmap(nullptr, counts_size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) return true;
  auto* header = static_cast<CountsHeader*>(memory);
  std::memcpy(header->magic, "DETSHIMC", sizeof header->magic);
  header->version = 1;
  header->entry_size = sizeof(Entry);
  name_.run.copy(header->run, sizeof header->run);
  counts_ = static_cast<Entry*>(memory);
  return true;
}

void ProcessLog::open() {
  if (tried_) return;
  tried_ = true;
  std::vector<char> path(name_.log_folder.begin(), name_.log_folder.end());
  path.push_back(0);
  bool made = false;
  const int number = open_log_folder(path.data(), name_.log_is_default, true, made);
  if (number < 0) {
    if (!name_.quiet)
      say_("detshim: cannot write the log in " + name_.log_folder + "; nothing is recorded of " +
           start_.program + "\n");
    return;
  }
  const OwnedDescriptor folder(number);
  // Never a file of the library's: it may be in the same process (Go with a libc), or was before an exec.
  const std::string stem = "/proc/self/fd/" + std::to_string(number) + "/" + std::to_string(name_.rank) +
                           "-" + name_.path + "-" + std::to_string(start_.pid) + "-k";
  std::string unused = stem;
  for (int i = 1; i < 100 && !make_counts_file(unused + ".counts"); ++i)
    unused = stem + "-" + std::to_string(i);
  file_ = OwnedDescriptor(::open((unused + ".jsonl").c_str(),
                                 O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (made && name_.log_is_default) link_latest(number, name_.run.c_str(), start_.pid);
  if (name_.seed_drawn) {
    const OwnedDescriptor seed(claim_file(number, name_.run.c_str(), "seed"));
    const std::string text = std::to_string(name_.seed) + "\n";
    if (seed && ::write(seed.number(), text.data(), text.size()) > 0 && !name_.quiet)
      say_("Using seed: " + text);
  }
  write_start();
}

void ProcessLog::write_line(TextWriter& line) {
  line.add('\n');
  const char* const text = line.c_str();
  const ssize_t length = static_cast<ssize_t>(line.length());
  if (!file_) return;
  const ssize_t written = ::write(file_.number(), text, line.length());
  // What a full disk cut is closed, as far as there is room, before the next line.
  if (written > 0 && written < length && ::write(file_.number(), "\n", 1) < 0) file_ = OwnedDescriptor();
}

void ProcessLog::write_start() {
  Text<4096> line;
  line.add("{\"t\":\"start\",\"v\":1");
  add_text(line, "detshim", version);
  add_text(line, "run", name_.run);
  line.add(",\"pid\":").add(static_cast<std::uint64_t>(start_.pid));
  line.add(",\"rank\":").add(name_.rank);
  add_text(line, "path", name_.path);
  add_text(line, "program", start_.program);
  start_.arguments.resize(std::min<std::size_t>(start_.arguments.size(), 1600));
  const std::size_t size = start_.arguments.size();
  start_.arguments.push_back(0);
  add_arguments(line, start_.arguments.data(), size);
  add_text(line, "mode", mode_names[static_cast<std::size_t>(name_.mode)]);
  add_text(line, "policy", policy_names[static_cast<std::size_t>(name_.policy)]);
  add_text(line, "seed", std::to_string(name_.seed));
  add_text(line, "seed_from", name_.seed_drawn ? "drawn" : "DETSHIM_SEED");
  if (!name_.disabled.empty()) add_text(line, "disabled", name_.disabled);
  if (!start_.layout.empty()) add_text(line, "layout", start_.layout);
  line.add(",\"env\":[]}");
  write_line(line);
}

std::uint64_t* ProcessLog::new_counter(Action action, std::int64_t& index) {
  constexpr auto entries = static_cast<std::int64_t>(counts_size / sizeof(Entry)) - header_entries;
  if (counts_ == nullptr || used_ >= entries) {
    index = -1;
    return &in_memory_[action];
  }
  index = used_++;
  Entry& entry = counts_[header_entries + index];
  entry.action = static_cast<std::uint32_t>(action);
  return &entry.number;
}

std::uint64_t& ProcessLog::record(const CallRecord& call) {
  open();
  const bool is_full = records_.size() >= record_limit;
  std::string key = std::string(call.thread) + ' ' + call.function + ' ' + std::to_string(int(call.action));
  if (const auto known = records_.find(key + ' ' + call.path + ' ' + call.at); known != records_.end())
    return ++*known->second, *known->second;
  if (!is_full) key += ' ' + call.path + ' ' + call.at;
  if (const auto known = records_.find(key); known != records_.end()) return ++*known->second, *known->second;

  std::int64_t index = -1;
  std::uint64_t* const counter = new_counter(call.action, index);
  records_[key] = counter;
  action_of_[counter] = call.action;
  Text<4096> line;
  line.add("{\"t\":\"call\",\"n\":").add(++numbers_[call.thread]);
  add_text(line, "thread", call.thread);
  add_text(line, "lib", "kernel");
  add_text(line, "fn", call.function);
  add_text(line, "do", action_names[static_cast<std::size_t>(call.action)]);
  if (!call.path.empty() && !is_full) add_text(line, "path", call.path, 200);
  add_text(line, "why", is_full ? "further calls from this place, values not written" : call.why, 200);
  add_text(line, "at", call.at);
  if (index >= 0) line.add(",\"c\":").add(static_cast<std::uint64_t>(index));
  line.add('}');
  write_line(line);
  return ++*counter, *counter;
}

void ProcessLog::end() {
  if (!file_) return;
  std::map<Action, std::uint64_t> sums;
  for (const auto& [counter, action] : action_of_) sums[action] += *counter;
  Text<4096> line;
  line.add("{\"t\":\"end\",\"counts\":{");
  const char* before = "";
  for (const auto& [action, sum] : sums) {
    line.add(before).add('"').add(action_names[static_cast<std::size_t>(action)]).add("\":").add(sum);
    before = ",";
  }
  line.add("}}");
  write_line(line);
  file_ = OwnedDescriptor();
}

} // namespace detshim
