// What lines of the user's own did that no seed pins: they read a clock or an input, started
// threads or processes, or passed a seed that nothing explains.
//
// Decides by the call sites that the library noted, whose owner log_reader/call_owner.h tells, and
// by instructions in the user's own files that read around every library. It cannot know what
// becomes of a value: what a line reads may be printed alone, and threads may share nothing. So
// each of these findings is for a comparison of runs to settle.
#include "log_reader/call_owner.h"
#include "log_reader/library_code.h"
#include "log_reader/source_lines.h"
#include "support/lists.h"
#include "support/wording.h"
#include "verdict/finders.h"
#include "verdict/pinned_clocks.h"
#include "verdict/pools.h"
#include "verdict/shown_times.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace detshim {
namespace {

/// How a call is named whose line is not known: by the file that made it, or by the call's address.
enum class NamedBy { address, file };

/// What a record of a call site leads to.
struct UserPlaceRow {
  RecordType record;
  Finding finding;
  NamedBy without_line = NamedBy::address;
};
constexpr UserPlaceRow user_place_rows[] = {
    {RecordType::clock, Finding::clock_read},
    {RecordType::threads, Finding::threads_started},
    {RecordType::forks, Finding::processes_started},
    {RecordType::children, Finding::processes_started, NamedBy::file},
    {RecordType::input, Finding::input_read},
};

constexpr std::string_view network = "network"; // an input's `what`

bool is_python(const Start& start) { return base_name(start.program).starts_with("python"); }

/// What the first program of the run printed on: a wrapper that gave its name away, or the program
/// of that name (docs/LOG_FORMAT.md). Nothing where no log says it.
std::optional<std::string> outputs_of_run(const Log& log) {
  for (const std::string_view name : {"0w", "0"}) {
    const auto first = std::ranges::find(log.processes, name, &Process::path);
    if (first != log.processes.end() && !first->starts.empty())
      return first->starts.front().outputs;
  }
  return std::nullopt;
}

/// True if a program of Python's that read a clock printed on something else: a pipe, or a file,
/// that another may read.
bool prints_times_elsewhere(const Log& log) {
  if (!log.marks.empty()) // a launcher gives its ranks pipes, and shows what comes
    return false;
  const std::optional<std::string> usual = outputs_of_run(log);
  const auto prints_elsewhere = [&](const Process& process) {
    return std::ranges::any_of(process.starts, [&](const Start& start) {
      return usual && is_python(start) && start.outputs && start.outputs != usual;
    });
  };
  const auto reads_clock = [](const Process& process) {
    return contains(process.user_places, RecordType::clock, &UserPlace::kind);
  };
  std::set<std::string> others; // by path
  for (const Process& process : log.processes)
    if (prints_elsewhere(process)) {
      if (reads_clock(process))
        return true;
      others.insert(process.path);
    }
  bool has_read = false;
  if (!others.empty())
    each_record(log, [&](const Process& process, const Call& call, const CallCount&) {
      has_read |= call.reason == Reason::clock_read && others.contains(process.path);
    });
  return has_read;
}

/// Lines by what they did, each once.
class UserLineFinder {
public:
  explicit UserLineFinder(const VerdictInputs& inputs)
      : inputs_(inputs), lines_dealt_(LoggedPools(inputs.log).lines_dealt()),
        pinned_clocks_(inputs), source_lines_(inputs.code.changed) {}

  void find(Findings& findings) {
    add_recorded_clocks();
    for (const Process& process : inputs_.log.processes)
      if (!is_launcher(process))
        for (const UserPlace& place : process.user_places)
          add_place(process, place);
    add_reading_code();
    add_python_clocks(findings);
    // A line that starts processes is named once, also where it reads a clock to wait for them.
    for (const std::string& line : lines_[Finding::processes_started])
      lines_[Finding::clock_read].erase(line);
    for (const auto& [finding, lines] : lines_)
      findings.add_named(finding, lines);
  }

private:
  /// What a launcher's ranks do is ordered by what they exchange.
  bool is_launcher(const Process& process) const {
    return std::ranges::any_of(inputs_.log.marks, [&](const RankMark& mark) {
      return !mark.program.empty() && mark.pid == process.pid;
    });
  }

  /// Those of Python code have records of calls.
  void add_recorded_clocks() {
    for (const SymbolSummary& symbol : inputs_.summary.symbols)
      if (symbol.action == Action::observe && has_reason(symbol, {Reason::clock_read}))
        for (const CallPlace& place : symbol.places)
          if (!place.python.empty())
            add_python({RecordType::clock, Finding::clock_read}, "", place.at, place.python);
  }

  void add_place(const Process& process, const UserPlace& place) {
    const auto* const row = std::ranges::find(user_place_rows, place.kind, &UserPlaceRow::record);
    if (row == std::end(user_place_rows))
      return;
    if (!place.python.empty())
      add_python(*row, place.what, place.at, place.python);
    else if (row->finding != Finding::clock_read || !pinned_clocks_.contain(place.at))
      add_native(*row, process, place);
  }

  void add_python(const UserPlaceRow& row, const std::string& what, const std::string& at,
                  const PythonFrames& python) {
    const OwnedCall call = owner_of_call("", {}, python, source_lines_);
    const bool is_users = call.owner == CallOwner::user || call.owner == CallOwner::text;
    if (!is_users || is_of_dealing_pool(row, what, call))
      return;
    if (row.finding == Finding::clock_read)
      python_clocks_[call.line].push_back(shown_candidate(at, python));
    else
      add(row.finding, what, call.line);
  }

  /// The line as its file is named in full, where the interpreter itself read the clock for it;
  /// else nothing tells what was read.
  static std::string shown_candidate(const std::string& at, const PythonFrames& python) {
    static constexpr std::string_view interpreters[] = {"python3", "libpython3", "time.cpython",
                                                        "_datetime.cpython"};
    const std::string reader = base_name(file_of_place(at));
    const bool is_interpreters = std::ranges::any_of(interpreters, [&](std::string_view start) {
      return reader.starts_with(start);
    });
    const std::string& frame = python.frames.front();
    return is_interpreters && python.user == std::size_t{0} ? frame.substr(0, frame.rfind(' '))
                                                            : std::string();
  }

  /// What is only shown is no reason, unless a program of the run may read what another has
  /// printed.
  void add_python_clocks(Findings& findings) {
    const bool is_printed_for_programs = prints_times_elsewhere(inputs_.log);
    std::set<std::string> candidates;
    for (const auto& [line, places] : python_clocks_)
      candidates.insert(places.begin(), places.end());
    const TimeLines times = find_time_lines(inputs_.log, candidates);
    for (const std::string& line : times.kept)
      add(Finding::clock_read, "", line_of_frame(line + ' '));
    for (const auto& [line, places] : python_clocks_) {
      const bool is_shown =
          !is_printed_for_programs && std::ranges::all_of(places, [&](const std::string& place) {
            return times.shown.contains(place);
          });
      if (is_shown)
        findings.shown_times.push_back(line);
      else
        add(Finding::clock_read, "", line);
    }
  }

  /// True for what a pool does that deals its tasks: it starts its workers, and asks its manager.
  bool is_of_dealing_pool(const UserPlaceRow& row, const std::string& what,
                          const OwnedCall& call) const {
    const bool may_be = row.finding == Finding::processes_started || what == network;
    return may_be && !lines_dealt_.empty() &&
           (call.owner == CallOwner::text || lines_dealt_.contains(call.line));
  }

  void add_native(const UserPlaceRow& row, const Process& process, const UserPlace& place) {
    const OwnedCall call = owner_of_call(place.at, place.frames, {}, source_lines_);
    if (call.owner == CallOwner::user)
      add(row.finding, place.what, call.line);
    // A language's own library reads clocks for itself.
    else if (call.owner != CallOwner::library || row.finding != Finding::clock_read)
      add(row.finding, place.what, name_without_line(row, process, place));
  }

  /// A program that is not the user's counts as a whole.
  static std::string name_without_line(const UserPlaceRow& row, const Process& process,
                                       const UserPlace& place) {
    const std::string file = file_of_place(place.at);
    const bool is_tools = is_library_file(file) && !process.starts.empty();
    const std::string program = is_tools ? base_name(process.starts.back().program) : "";
    if (row.without_line == NamedBy::file)
      return is_tools ? program : base_name(file);
    return is_tools ? "program " + program : base_name(place.at);
  }

  /// System calls that the user's own files make without libc.
  void add_reading_code() {
    for (const FileScan& file : inputs_.code.reading)
      for (const FoundPlace& place : file.others) {
        if (place.kind == DrawKind::processor) { // no instruction tells where
          add(Finding::input_read, draw_name(place.kind), base_name(file.file));
          continue;
        }
        FoundPlace behind = place;
        ++behind.offset; // as a return address
        const std::string at = place_text(file, behind);
        const OwnedCall call = owner_of_call(at, {}, {}, source_lines_);
        add(Finding::input_read, draw_name(place.kind),
            call.line.empty() ? base_name(at) : call.line);
      }
  }

  void add(Finding finding, const std::string& what, const std::string& line) {
    if (!line.empty())
      lines_[finding].insert(finding == Finding::input_read ? line + " (" + what + ")" : line);
  }

  const VerdictInputs& inputs_;
  const std::set<std::string> lines_dealt_;
  const PinnedClocks pinned_clocks_;
  SourceLines source_lines_;
  std::map<Finding, std::set<std::string>> lines_;
  std::map<std::string, std::vector<std::string>> python_clocks_; ///< candidates by line
};

/// True if the frame's line has the number in it: `default_rng(20261127001)`.
bool is_written_in(const std::string& frame, const std::string& number) {
  const std::string line = text_of_line(frame);
  const auto is_part = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(line[i])) != 0; // at the end a null
  };
  const std::size_t at = line.find(number);
  return at != std::string::npos && (at == 0 || !is_part(at - 1)) && !is_part(at + number.size());
}

/// True if a line of Python that led to the call has the seed in it.
bool is_own_constant(const Call& call) {
  const std::string* const seed = find_field(call.fields, "requested");
  return seed != nullptr && std::ranges::any_of(call.python.frames, [&](const std::string& frame) {
           return is_written_in(frame, *seed);
         });
}

/// True for the seeds that PyTorch's DataLoader gives its workers, which it draws from a generator
/// that has a hook of its own.
bool is_of_worker_loop(const Call& call, SourceLines& lines) {
  return call.python.user.value_or(0) > 0 &&
         owner_of_call("", {}, call.python, lines).owner == CallOwner::data_loader;
}

/// A seed that is not known to repeat.
bool may_change(const Call& call) {
  return call.reason == Reason::unexplained_seed || call.reason == Reason::ordered_seed;
}

/// A seed in the bits that each generator takes of it; nothing of a text.
std::optional<std::uint32_t> low_word_of_seed(const Call& call) {
  const std::string* const seed = find_field(call.fields, "requested");
  std::uint64_t value = 0;
  if (seed == nullptr ||
      std::from_chars(seed->data(), seed->data() + seed->size(), value).ec != std::errc())
    return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

/// What PyTorch's DataLoader has seeded each worker by, process by process. `worker_init_fn` makes
/// the seeds of other generators of it: `torch.initial_seed() % 2**32` (PyTorch's notes on
/// reproducibility).
class LoaderSeeds {
public:
  LoaderSeeds(const Log& log, SourceLines& lines) {
    each_record(log, [&](const Process& process, const Call& call, const CallCount&) {
      if (may_change(call) && is_of_worker_loop(call, lines))
        if (const std::optional<std::uint32_t> word = low_word_of_seed(call))
          words_.emplace(process.path, *word);
    });
  }

  bool gave(const Process& process, const Call& call) const {
    const std::optional<std::uint32_t> word = low_word_of_seed(call);
    return word && words_.contains({process.path, *word});
  }

private:
  std::set<std::pair<std::string, std::uint32_t>> words_;
};

/// True if a package's code passed the seed, for a line of the user's or in a thread of its own.
bool is_of_package(const Call& call) {
  const auto user =
      static_cast<std::ptrdiff_t>(call.python.user.value_or(call.python.frames.size()));
  const auto begin = call.python.frames.begin();
  return std::any_of(begin, begin + user, is_frame_of_package);
}

/// True if no line of the user's reads what no seed pins, but to show it. A package's seeds are
/// made of the user's then, or of its own draws, and no reason: a clock that a package itself seeds
/// by is found by its value, or by the function that reads it. What the user's own line passes may
/// come from one that no hook sees.
bool reads_nothing_unpinned(const Findings& findings) {
  return std::ranges::none_of(findings.reasons, [](const VerdictReason& reason) {
    return reason.finding == Finding::clock_read || reason.finding == Finding::input_read;
  });
}

/// random.seed is Python's own: of its frames the user's counts, else the innermost.
std::string name_of_seeding(const Call& call, SourceLines& lines) {
  if (!call.python.empty())
    return line_of_frame(call.python.frames[call.python.user.value_or(0)]);
  const std::optional<UserLine> user = lines.find_user(call.at, call.frames);
  return user ? user->text() : base_name(call.at);
}

} // namespace

void find_users_lines(const VerdictInputs& inputs, Findings& findings) {
  UserLineFinder(inputs).find(findings);
}

void find_seeds_that_may_change(const VerdictInputs& inputs, Findings& findings) {
  const auto has_one = [](const SymbolSummary& symbol) {
    return has_reason(symbol, {Reason::unexplained_seed, Reason::ordered_seed});
  };
  if (std::ranges::none_of(inputs.summary.symbols, has_one))
    return;
  SourceLines source_lines(inputs.code.changed);
  const bool has_no_clock = reads_nothing_unpinned(findings);
  const LoaderSeeds loader(inputs.log, source_lines);
  std::set<std::string> names;
  each_record(inputs.log, [&](const Process& process, const Call& call, const CallCount&) {
    const bool is_packages_own = has_no_clock && is_of_package(call);
    if (may_change(call) && !is_packages_own && !is_own_constant(call) &&
        !is_of_worker_loop(call, source_lines) && !loader.gave(process, call))
      names.insert(name_of_seeding(call, source_lines));
  });
  findings.add_named(Finding::seed_unexplained, names);
}

} // namespace detshim
