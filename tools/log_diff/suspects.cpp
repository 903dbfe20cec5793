#include "log_diff/suspects.h"

#include "log_reader/lines.h"
#include "log_reader/log.h"
#include "log_reader/open_file.h"
#include "log_reader/printable.h"
#include "log_reader/record.h"
#include "log_reader/source_lines.h"
#include "report/log_report.h"
#include "support/reason_texts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace detshim {
namespace {

enum Kind { variable, unfixed, threads, forks, clock_reading, folder, kind_count };
constexpr std::array<const char*, kind_count> kind_names = {"variable", "unfixed", "threads",
                                                            "forks",    "clock",   "folder"};
constexpr std::array<const char*, kind_count> words = {"",
                                                       "",
                                                       "threads are started at ",
                                                       "processes are forked at ",
                                                       "a clock or an id is read at ",
                                                       "a folder is read at "};

bool is_clock(std::string_view function) {
  constexpr auto clocks = std::to_array<std::string_view>(
      {"time", "gettimeofday", "clock_gettime", "clock", "times", "getpid", "getppid", "gettid"});
  return std::ranges::find(clocks, function) != clocks.end();
}

bool reads_folders(std::string_view function) {
  constexpr auto readers =
      std::to_array<std::string_view>({"readdir", "scandir", "getdents64", "glob", "fts"});
  return std::ranges::any_of(readers, [&](std::string_view reader) { return function.starts_with(reader); });
}

/// Of a variable, the hashes of its values in all programs of a run; "" among them: a secret, not compared.
using Variables = std::map<std::string, std::set<std::string>>;

class SuspectReader {
public:
  Variables read(const SuspectLog& log) {
    Variables variables;
    for (const std::string& name : record_files(log.folder)) {
      const OpenFile file(log.folder + "/" + name);
      LineSplitter splitter;
      bool is_of_run = true;
      if (!file) continue;
      read_lines(file.descriptor(), splitter, [&](std::string_view text) {
        if (!may_matter(text)) return;
        std::optional<Line> line = parser_.parse(text);
        if (!line) return;
        if (const auto* start = std::get_if<Start>(&line->record); start != nullptr && line->process == 0)
          is_of_run = log.run.empty() || start->run == log.run;
        if (!is_of_run) return;
        if (const auto* found = std::get_if<VariableHashes>(&line->record))
          for (const auto& [variable, hash] : found->hashes) variables[variable].insert(hash);
        else if (const auto* place = std::get_if<UserPlace>(&line->record))
          add_place(*place);
        else if (const auto* call = std::get_if<Call>(&line->record))
          add_call(*call);
      });
    }
    return variables;
  }

  std::array<std::set<std::string>, kind_count>& texts() { return texts_; }

private:
  /// Not worth parsing: draws, of which a log may have millions.
  static bool may_matter(std::string_view line) {
    constexpr std::string_view key = "\"fn\":\"";
    const std::size_t function = line.find(key);
    return function == std::string_view::npos || line.find("\"do\":\"pin\"") == std::string_view::npos ||
           reads_folders(line.substr(function + key.size()));
  }

  static Kind kind_of(const UserPlace& place) {
    if (place.kind == "threads") return threads;
    return place.kind == "forks" ? forks : clock_reading;
  }

  /// Without a line of the user's own source there is nothing that he could look at.
  void add_place(const UserPlace& place) {
    // Text that an installation runs as Python starts (.pth) is nothing of the user's.
    if (!place.python.empty() && place.python.frames.front().starts_with("<string>")) return;
    if (place.python.empty() && !source_lines_.find_user(place.at, place.frames)) return;
    add(kind_of(place), describe_place(place.at, place.frames, place.python, source_lines_));
  }

  void add_call(const Call& call) {
    const bool is_users = call.python.user.has_value();
    const std::string where = describe_place(call.at, call.frames, call.python, source_lines_);
    if (call.action == Action::unfixed) {
      const std::string why = call.why.empty() ? "" : ": " + printable(reason_text(call.why));
      texts_[unfixed].insert(printable(call.function) + " at " + where + why);
    } else if (call.library == "libc" && reads_folders(call.function)) {
      add(folder, where);
    } else if (is_users && call.function == "pthread_create") {
      add(threads, where);
    } else if (is_users && call.action == Action::observe && is_clock(call.function)) {
      add(clock_reading, where);
    }
  }

  void add(Kind kind, const std::string& where) { texts_[kind].insert(words[kind] + where); }

  RecordParser parser_;
  SourceLines source_lines_;
  std::array<std::set<std::string>, kind_count> texts_;
};

} // namespace

std::vector<Suspect> find_suspects(const SuspectLog& log, const SuspectLog& other) {
  SuspectReader reader;
  Variables one = reader.read(log), two = reader.read(other);
  std::set<std::string>& different = reader.texts()[variable];
  for (const auto& [name, hashes] : one)
    if (!two.empty() && two[name] != hashes) different.insert(printable(name));
  for (const auto& [name, hashes] : two)
    if (!one.empty() && !one.contains(name)) different.insert(printable(name));
  std::vector<Suspect> suspects;
  for (const std::string& name : different)
    suspects.push_back({kind_names[variable], "variable " + name + " is not the same in both"});
  for (int kind = unfixed; kind < kind_count; ++kind)
    for (const std::string& text : reader.texts()[static_cast<std::size_t>(kind)])
      suspects.push_back({kind_names[static_cast<std::size_t>(kind)], text});
  return suspects;
}

} // namespace detshim
