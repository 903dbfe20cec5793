#include "log_diff/suspects.h"

#include "log_reader/log.h"
#include "log_reader/source_lines.h"
#include "report/log_report.h"
#include "support/lists.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

enum Kind { variable, nondeterministic, threads, forks, clock_reading, folder, input, kind_count };
constexpr std::array<const char*, kind_count> kind_names = {
    "variable", "nondeterministic", "threads", "forks", "clock", "folder", "input"};
constexpr std::array<const char*, kind_count> words = {"",
                                                       "",
                                                       "threads are started at ",
                                                       "processes are started at ",
                                                       "a clock or an id is read at ",
                                                       "a folder is read at ",
                                                       "what no seed pins is read at "};

constexpr std::string_view clocks[] = {"time",  "gettimeofday", "clock_gettime", "clock",
                                       "times", "getpid",       "getppid",       "gettid"};

class SuspectReader {
public:
  void add(const Log& log) {
    for (const Process& process : log.processes)
      for (const UserPlace& place : process.user_places) add_place(place);
    for (const auto& [symbol, calls] : log.calls.symbols)
      for (const auto& [place, count] : calls.places) add_call(symbol, calls, place);
  }

  std::array<std::set<std::string>, kind_count>& texts() { return texts_; }

private:
  static Kind kind_of(const UserPlace& place) {
    if (place.kind == "threads") return threads;
    if (place.kind == "forks" || place.kind == "children") return forks;
    return place.kind == "clock" ? clock_reading : input;
  }

  /// Without a line of the user's own source there is nothing that he could look at.
  void add_place(const UserPlace& place) {
    // Text that an installation runs as Python starts (.pth) is nothing of the user's.
    if (!place.python.empty() && place.python.frames.front().starts_with("<string>")) return;
    if (place.python.empty() && !source_lines_.find_user(place.at, place.frames)) return;
    const Kind kind = kind_of(place);
    add(kind, describe_call_site(place.at, place.frames, place.python, source_lines_) +
                  (kind == input ? " (" + printable(place.kind) + ")" : ""));
  }

  void add_call(const FoldedCalls::Symbol& symbol, const SymbolCalls& calls, const auto& call_site) {
    const auto& [at, frames, python] = call_site;
    const std::string& function = symbol.function;
    const bool is_users = python.user.has_value();
    const auto where = [this, &at = at, &frames = frames, &python = python] {
      return describe_call_site(at, frames, python, source_lines_);
    };
    if (symbol.action == Action::nondeterministic) {
      std::string why;
      for (const std::string& reason : calls.reasons)
        if (!reason.empty()) why = ": " + printable(reason_text(reason));
      texts_[nondeterministic].insert(printable(function) + " at " + where() + why);
    } else if (symbol.library == "libc" &&
               starts_with_any_of(function, {"readdir", "scandir", "getdents64", "glob", "fts"})) {
      add(folder, where());
    } else if (is_users && function == "pthread_create") {
      add(threads, where());
    } else if (is_users && symbol.action == Action::observe && contains(clocks, function)) {
      add(clock_reading, where());
    }
  }

  void add(Kind kind, const std::string& where) { texts_[kind].insert(words[kind] + where); }

  SourceLines source_lines_;
  std::array<std::set<std::string>, kind_count> texts_;
};

} // namespace

std::vector<Suspect> find_suspects(const SuspectLog& log, const SuspectLog& other) {
  SuspectReader reader;
  std::map<std::string, std::set<std::string>> one, two; // variables
  for (const auto& [side, variables] : {std::pair(&log, &one), std::pair(&other, &two)}) {
    std::vector<std::string> runs = {side->run};
    if (side->run.empty()) {
      const Log newest = read_log(side->folder);
      runs = newest.other_runs;
      runs.push_back(newest.run);
    }
    for (const std::string& run : runs) {
      const Log its = read_log(side->folder, run);
      reader.add(its);
      for (const auto& [name, hashes] : its.variables)
        (*variables)[name].insert(hashes.begin(), hashes.end());
    }
  }
  std::set<std::string>& different = reader.texts()[variable];
  for (const auto& [name, hashes] : one)
    if (!two.empty() && two[name] != hashes) different.insert(printable(name));
  for (const auto& [name, hashes] : two)
    if (!one.empty() && !one.contains(name)) different.insert(printable(name));
  std::vector<Suspect> suspects;
  for (const std::string& name : different)
    suspects.push_back({kind_names[variable], "variable " + name + " is not the same in both"});
  for (int kind = nondeterministic; kind < kind_count; ++kind)
    for (const std::string& text : reader.texts()[static_cast<std::size_t>(kind)])
      suspects.push_back({kind_names[static_cast<std::size_t>(kind)], text});
  return suspects;
}

} // namespace detshim
