// Decides what can make two runs differ although their records agree: variables whose hashes
// differ, calls that went ahead nondeterministic, folders that were read, and the places where the
// user's own lines start threads or processes or read a clock or an input. Of threads, processes,
// clocks and inputs only the user's own lines count: of the others there is no line to look at.
//
// It cannot know whether a suspect had any part in the result, nor whether two secret variables are
// the same: the log has no hash of them.
#include "log_diff/suspects.h"

#include "log_reader/call_owner.h"
#include "log_reader/launch_variables.h"
#include "log_reader/log.h"
#include "log_reader/source_lines.h"
#include "report/log_report.h"
#include "support/lists.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

using enum SuspectKind;

/// What stands in front of a place of that kind.
constexpr std::array<const char*, suspect_kinds> words = {"",
                                                          "",
                                                          "threads are started at ",
                                                          "processes are started at ",
                                                          "a clock or an id is read at ",
                                                          "a folder is read at ",
                                                          "what no seed pins is read at ",
                                                          "",
                                                          ""};

struct PlaceKind {
  RecordType record;
  SuspectKind kind;
};
constexpr PlaceKind place_kinds[] = {
    {RecordType::clock, clock},    {RecordType::threads, threads}, {RecordType::forks, forks},
    {RecordType::children, forks}, {RecordType::input, input},
};

constexpr std::string_view clocks[] = {"time",  "gettimeofday", "clock_gettime", "clock",
                                       "times", "getpid",       "getppid",       "gettid"};

class SuspectReader {
public:
  void add(const Log& log) {
    for (const Process& process : log.processes)
      for (const UserPlace& place : process.user_places)
        add_place(place);
    for (const auto& [symbol, calls] : log.calls.symbols)
      for (const auto& [place, count] : calls.places)
        add_call(symbol, calls, place);
  }

  std::set<std::string>& texts(SuspectKind kind) { return texts_[static_cast<std::size_t>(kind)]; }

private:
  /// Without a line of the user's own source there is nothing that the user could look at.
  void add_place(const UserPlace& place) {
    const OwnedCall call = owner_of_call(place.at, place.frames, place.python, source_lines_);
    const auto* const row = std::ranges::find(place_kinds, place.kind, &PlaceKind::record);
    if (call.owner != CallOwner::user || row == std::end(place_kinds))
      return;
    add(row->kind, describe_call_site(place.at, place.frames, place.python, source_lines_) +
                       (row->kind == input ? " (" + printable(place.what) + ")" : ""));
  }

  void add_call(const FoldedCalls::Symbol& symbol, const SymbolCalls& calls,
                const auto& call_site) {
    const auto& [at, frames, python] = call_site;
    const std::string& function = symbol.function;
    const bool is_users = python.user.has_value();
    const auto where = [this, &at = at, &frames = frames, &python = python] {
      return describe_call_site(at, frames, python, source_lines_);
    };
    if (symbol.action == Action::nondeterministic) {
      std::string why;
      for (const std::string& reason : calls.reasons)
        if (!reason.empty())
          why = ": " + printable(text_of_code(reason));
      texts(nondeterministic).insert(printable(function) + " at " + where() + why);
    } else if (symbol.library == "libc" &&
               starts_with_any_of(function, {"readdir", "scandir", "getdents64", "glob", "fts"})) {
      add(folder, where());
    } else if (is_users && function == "pthread_create") {
      add(threads, where());
    } else if (is_users && symbol.action == Action::observe && contains(clocks, function)) {
      add(clock, where());
    }
  }

  void add(SuspectKind kind, const std::string& where) {
    texts(kind).insert(words[static_cast<std::size_t>(kind)] + where);
  }

  SourceLines source_lines_;
  std::array<std::set<std::string>, suspect_kinds> texts_;
};

} // namespace

std::vector<Suspect> find_suspects(const SuspectLog& log, const SuspectLog& other) {
  SuspectReader reader;
  std::map<std::string, std::set<std::string>> first, second; // variables
  for (const auto& [side, variables] : {std::pair(&log, &first), std::pair(&other, &second)}) {
    std::vector<std::string> runs = {side->run};
    if (side->run.empty()) {
      const Log newest = read_log(side->folder);
      runs = newest.other_runs;
      runs.push_back(newest.run);
    }
    for (const std::string& run : runs) {
      const Log run_log = read_log(side->folder, run);
      reader.add(run_log);
      for (const auto& [name, hashes] : run_log.variables)
        (*variables)[name].insert(hashes.begin(), hashes.end());
    }
  }
  std::set<std::string> different;
  for (const auto& [name, hashes] : first)
    if (!second.empty() && second[name] != hashes)
      different.insert(printable(name));
  for (const auto& [name, hashes] : second)
    if (!first.empty() && !first.contains(name))
      different.insert(printable(name));
  std::vector<Suspect> suspects;
  std::erase_if(different, is_of_one_launch);
  for (const std::string& name : different)
    suspects.push_back({variable, "variable " + name + " is not the same in both"});
  for (std::size_t i = 0; i < suspect_kinds; ++i)
    for (const std::string& text : reader.texts(static_cast<SuspectKind>(i)))
      suspects.push_back({static_cast<SuspectKind>(i), text});
  return suspects;
}

} // namespace detshim
