#include "verdict/verdict.h"

#include "common/cryptography.h"
#include "log_reader/library_code.h"
#include "log_reader/source_lines.h"
#include "support/hash.h"
#include "support/reason_texts.h"
#include "support/wording.h"
#include "verdict/cuda_findings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

/// The value of the first example that has the field; nullptr without one.
const std::string* first_field(const SymbolSummary& symbol, std::string_view name) {
  for (const Example& example : symbol.examples)
    if (const std::string* value = find_field(example.fields, name)) return value;
  return nullptr;
}

// ---- What the log says that happened ----

/// What a call record of the action `nondeterministic` or `uncovered` leads to.
Finding finding_of(const SymbolSummary& symbol, const std::string& code, const std::string& from) {
  const std::string* const function_of = first_field(symbol, "function_of");
  if (reason_of(code) == Reason::may_be_key || reason_of(code) == Reason::secret_program)
    return Finding::may_be_key;
  if (reason_of(code) == Reason::other_version) return Finding::setting_left;
  if (symbol.action == Action::nondeterministic) return Finding::nondeterministic_call;
  if (function_of == nullptr) return Finding::uncovered_call;
  return from == *function_of ? Finding::foreign : Finding::bypass;
}

/// "train.py:12" of "/home/me/train.py:12 main".
std::string line_of_frame(const std::string& frame) { return base_name(frame.substr(0, frame.rfind(' '))); }

/// The user's line that called, of a Call or a CallPlace; empty where none is known.
std::string line_of_call(const auto& call, SourceLines& lines) {
  // Of a package's threads, which no line of the user's is behind, its own line.
  if (!call.python.empty()) return line_of_frame(call.python.frames[call.python.user.value_or(0)]);
  const std::optional<UserLine> user = lines.find_user(call.at, call.frames);
  return user ? user->text() : "";
}

void add_call(const SymbolSummary& symbol, SourceLines& lines, Verdict& verdict) {
  std::set<std::string> operators; // a framework's, by their own names
  for (const Example& example : symbol.examples)
    if (const std::string* name = find_field(example.fields, "operator")) operators.insert(*name);
  if (symbol.action == Action::nondeterministic && !operators.empty()) {
    for (const std::string& name : operators)
      verdict.add(
          {.finding = Finding::nondeterministic_operator, .library = symbol.library, .function = name});
    return;
  }
  const std::string code = symbol.reasons.empty() ? "" : symbol.reasons.front();
  const std::string from = symbol.places.empty() ? "" : file_of_place(symbol.places.front().at);
  VerdictReason reason{.finding = finding_of(symbol, code, from),
                       .library = symbol.library,
                       .function = symbol.function,
                       .file = from,
                       .code = code,
                       .place = symbol.places.empty() ? "" : line_of_call(symbol.places.front(), lines)};
  if (const std::string* function_of = first_field(symbol, "function_of")) reason.names = {*function_of};
  if (const std::string* version = first_field(symbol, "version")) reason.detail = *version;
  if (const std::string* known = first_field(symbol, "known_good")) reason.names = {*known};
  if (const std::string* others = first_field(symbol, "others"))
    reason.count = std::strtoull(others->c_str(), nullptr, 10);
  if (reason.finding == Finding::uncovered_call && !symbol.examples.empty() &&
      !symbol.examples.front().fields.empty())
    reason.detail = symbol.examples.front().fields.front().value;
  verdict.add(std::move(reason));
}

/// What a program draws whose purpose is a secret: it stays random, and is no fault.
bool is_of_secret(const SymbolSummary& symbol) {
  return symbol.action == Action::observe && !symbol.reasons.empty() &&
         reason_of(symbol.reasons.front()) == Reason::secret_program;
}

void find_calls(const VerdictInputs& inputs, Verdict& verdict) {
  const Summary& summary = inputs.summary;
  SourceLines lines(inputs.code.changed);
  for (const SymbolSummary& symbol : summary.symbols)
    if ((symbol.action == Action::nondeterministic || symbol.action == Action::uncovered ||
         is_of_secret(symbol)) &&
        !inputs.code.is_harmless(symbol))
      add_call(symbol, lines, verdict);
  for (const Action action : actions_worst_first) {
    if (action == Action::observe || summary.lost(action) == 0) continue;
    const bool is_bad = action == Action::nondeterministic || action == Action::uncovered;
    verdict.add({.finding = is_bad ? Finding::lost_bad_calls : Finding::lost_calls,
                 .detail = action_names[static_cast<std::size_t>(action)],
                 .count = summary.lost(action)});
  }
  if (summary.missing_records > 0 && !inputs.log.is_incomplete())
    verdict.add({.finding = Finding::lost_records, .count = summary.missing_records});
}

/// What races, by how the field `pool` or `threads` of a record begins, and from how many calls on: one
/// process that fills a queue, and one worker that takes all tasks, race with nobody.
constexpr struct {
  std::string_view start;
  Finding finding;
  std::uint64_t least_calls;
} races[] = {
    {"threading.", Finding::racing_threads, 1},
    {"multiprocessing.Manager", Finding::racing_manager, 2},
    {"multiprocessing.Queue", Finding::racing_queue, 2},
    {"gensim", Finding::racing_trainers, 1},
    {"joblib", Finding::sharing_threads, 1},
    {"dask.distributed", Finding::racing_workers, 2},
    {"", Finding::racing_workers, 1},
};

/// A script's first megabyte, as it stands now; empty for what is no text.
std::string beginning_of_file(const std::filesystem::path& name) {
  constexpr std::streamsize most = 1 << 20;
  std::ifstream input(name, std::ios::binary);
  std::string text(most, '\0');
  input.read(text.data(), most);
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text.find('\0') == std::string::npos ? text : "";
}

/// What the records say of pools: "multiprocessing.Pool, train.py:7", and how often.
struct Pools {
  std::map<std::string, std::uint64_t> racing;
  std::set<std::string> kinds_dealt; ///< all of that kind give tasks to workers in turn
  std::set<std::string> users;       ///< of those, the pools that a line of the user's made
  std::set<std::string> lines_dealt;

  explicit Pools(const Log& log) {
    std::set<std::string> kinds_raced, filled;
    each_record(log, [&](const Process& process, const Call& call, const CallCount& count) {
      const std::string* pool = find_field(call.fields, "pool");
      // OpenMP's threads are a number
      if (pool == nullptr && call.function == "pthread_create") pool = find_field(call.fields, "threads");
      if (pool == nullptr) return;
      const Reason why = reason_of(call.why);
      const bool is_dealt = why == Reason::tasks_dealt || why == Reason::packages_tasks_dealt;
      if (is_dealt) kinds_dealt.insert(kind_of(*pool)), lines_dealt.insert(line_of(*pool));
      if (why == Reason::tasks_dealt) users.insert(*pool);
      if (why == Reason::task_race) kinds_raced.insert(kind_of(*pool));
      // A queue without a name is told by its address, which a later one of the same process may have.
      const bool is_again =
          is_queue(*pool) &&
          !filled.insert(std::to_string(process.rank) + ' ' + process.path + ' ' + *pool).second;
      if (!is_dealt && !is_again) racing[*pool] += is_queue(*pool) ? 1 : count.calls;
    });
    for (const std::string& kind : kinds_raced) kinds_dealt.erase(kind);
  }
  static bool is_queue(const std::string& pool) { return pool.starts_with("multiprocessing.Queue"); }
  /// "multiprocessing.Queue/mp-7f3a, train.py:7": queues have names.
  static std::string kind_of(const std::string& pool) {
    return pool.substr(0, std::min(pool.find(", "), pool.find('/')));
  }
  static std::string line_of(const std::string& pool) {
    const std::size_t comma = pool.find(", ");
    return comma == std::string::npos ? "" : base_name(pool.substr(comma + 2));
  }
};

/// Workers that take tasks as they are free, threads beside each other, processes that fill one queue.
void find_pools(const VerdictInputs& inputs, Verdict& verdict) {
  const Pools pools(inputs.log);
  std::set<std::pair<Finding, std::string>> said; // of several queues that one line made, once
  for (const auto& [pool, calls] : pools.racing) {
    const auto with_line = pools.racing.upper_bound(pool + ", ");
    if (with_line != pools.racing.end() && with_line->first.starts_with(pool + ", ")) continue;
    const auto* const race =
        std::ranges::find_if(races, [&name = pool](const auto& row) { return name.starts_with(row.start); });
    if (calls < race->least_calls || pools.kinds_dealt.contains(Pools::kind_of(pool))) continue;
    if (!said.emplace(race->finding, Pools::kind_of(pool) + Pools::line_of(pool)).second) continue;
    verdict.add({.finding = race->finding, .library = Pools::kind_of(pool), .place = Pools::line_of(pool)});
  }
  for (const std::string& pool : pools.users)
    verdict.add(
        {.finding = Finding::tasks_in_turn, .library = Pools::kind_of(pool), .place = Pools::line_of(pool)});
}

// ---- What the user's own lines did that no seed pins ----

/// Calls of clocks whose value went to a function that seeds, where it gave way, and nowhere else:
/// `srand(time(0))`.
class PinnedClocks {
public:
  explicit PinnedClocks(const VerdictInputs& inputs) : changed_(inputs.code.changed) {
    for (const SymbolSummary& symbol : inputs.summary.symbols)
      if (symbol.action == Action::pin && has_reason(symbol, {Reason::clock_seed, Reason::id_seed}))
        for (const CallPlace& place : symbol.places)
          seeds_[file_of_place(place.at)].insert(address_in(place.at));
  }

  bool contain(const std::string& at) const {
    constexpr std::uint64_t farthest = 64; // bytes: a few instructions that have to do with neither
    const auto seeds = seeds_.find(file_of_place(at));
    if (seeds == seeds_.end() || changed_.contains(seeds->first)) return false;
    const std::uint64_t from = address_in(at);
    const auto to = seeds->second.upper_bound(from);
    if (to == seeds->second.end() || *to - from > farthest) return false;
    try {
      const ElfFile file(seeds->first);
      const bool begins_with_address = file.function_name(from) != "main";
      return std::ranges::any_of(file.code(), [&](const CodeRange& code) {
        return is_result_passed_on(file.machine(), code, file.function_start(from), from, *to,
                                   begins_with_address);
      });
    } catch (const ElfError&) {
      return false;
    }
  }

private:
  /// Of "/home/me/train+0x12a4".
  static std::uint64_t address_in(const std::string& at) {
    const std::size_t plus = at.rfind("+0x");
    return plus == std::string::npos ? 0 : std::strtoull(at.c_str() + plus + 3, nullptr, 16);
  }

  const std::set<std::string>& changed_;
  std::map<std::string, std::set<std::uint64_t>> seeds_; ///< return addresses by file
};

/// PyTorch deals tasks to its loader's workers, and takes their results, in a fixed order.
bool is_of_loader(const PythonFrames& python) {
  return std::ranges::any_of(python.frames, [](const std::string& frame) {
    return frame.find("/torch/utils/data/") != std::string::npos;
  });
}

/// The frame's line of Python, as it stands now; empty where it cannot be read.
std::string text_of_line(const std::string& frame) {
  const std::string place = frame.substr(0, frame.rfind(' '));
  const std::size_t colon = place.rfind(':');
  std::ifstream input(place.substr(0, colon));
  std::string line;
  for (unsigned long i = std::strtoul(place.c_str() + colon + 1, nullptr, 10); i > 0 && input; --i)
    std::getline(input, line);
  return input ? line : "";
}

/// True if the frame's line has the number in it: `default_rng(20261127001)`.
bool is_written_in(const std::string& frame, const std::string& number) {
  const std::string line = text_of_line(frame);
  const auto is_part = [&](std::size_t i) {
    return i < line.size() && std::isalnum(static_cast<unsigned char>(line[i]));
  };
  const std::size_t at = line.find(number);
  return at != std::string::npos && (at == 0 || !is_part(at - 1)) && !is_part(at + number.size());
}

/// True if an installed package reads a clock there for anything but a seed: of its functions that seed
/// something, most only take the time.
bool is_packages_own_time(const std::string& frame) {
  if (frame.find("-packages/") == std::string::npos) return false;
  const std::string line = text_of_line(frame);
  const auto names = [&line](std::string_view word) { return line.find(word) != std::string::npos; };
  return !line.empty() && !names("seed") && !names("Random") && !names("rng") && !names("Key");
}

/// Where the user's code reads clocks, starts threads, or processes run beside each other. Not each is a
/// fault: what a line reads may be printed alone.
void find_users_lines(const VerdictInputs& inputs, Verdict& verdict) {
  std::map<Finding, std::set<std::string>> lines;
  const auto add_line = [&](Finding finding, const std::string& kind, const std::string& line) {
    if (!line.empty())
      lines[finding].insert(finding == Finding::input_read ? line + " (" + kind + ")" : line);
  };
  const std::set<std::string> dealt = Pools(inputs.log).lines_dealt;
  const auto add_python = [&](Finding finding, const std::string& kind, const PythonFrames& python) {
    if (!python.user || is_of_loader(python) || is_packages_own_time(python.frames[*python.user])) return;
    const std::string line = line_of_frame(python.frames[*python.user]);
    const bool is_of_pool =
        finding == Finding::processes_started || (finding == Finding::input_read && kind == "network");
    if (!is_of_pool || !(dealt.contains(line) || (!dealt.empty() && line.starts_with("<string>"))))
      add_line(finding, kind, line);
  };
  for (const SymbolSummary& symbol : inputs.summary.symbols)
    if (symbol.action == Action::observe && has_reason(symbol, {Reason::clock_read}))
      for (const CallPlace& place : symbol.places) add_python(Finding::clock_read, "", place.python);
  const PinnedClocks pinned_clocks(inputs);
  SourceLines source_lines(inputs.code.changed);
  for (const Process& process : inputs.log.processes)
    for (const UserPlace& place : process.user_places) {
      const bool is_child = place.kind == "children";
      const Finding finding = place.kind == "clock"               ? Finding::clock_read
                              : place.kind == "threads"           ? Finding::threads_started
                              : is_child || place.kind == "forks" ? Finding::processes_started
                                                                  : Finding::input_read;
      const bool is_of_launcher = std::ranges::any_of(inputs.log.marks, [&](const RankMark& mark) {
        return !mark.program.empty() &&
               mark.pid == process.pid; // its ranks are ordered by what they exchange
      });
      if (is_of_launcher) continue;
      if (finding == Finding::clock_read && pinned_clocks.contain(place.at)) continue;
      if (!place.python.empty()) {
        add_python(finding, place.kind, place.python);
      } else if (const std::optional<UserLine> user = source_lines.find_user(place.at, place.frames)) {
        add_line(finding, place.kind, user->text());
      } else if (const std::optional<SourceLine> source = source_lines.find(place.at);
                 finding == Finding::clock_read && source && !source->file.empty()) {
        continue; // a language's own library, for no line of the user's
      } else {    // without debug information; a program that is not the user's says it by its name
        const bool is_tools = is_library_file(file_of_place(place.at)) && !process.starts.empty();
        add_line(finding, place.kind,
                 (is_tools && !is_child ? "program " : "") + base_name(is_tools
                                                                           ? process.starts.back().program
                                                                       : is_child ? file_of_place(place.at)
                                                                                  : place.at));
      }
    }
  for (const FileScan& file : inputs.code.reading)
    for (const FoundPlace& place : file.others) {
      FoundPlace behind = place;
      ++behind.offset; // as a return address
      const std::string at = place_text(file, behind);
      const std::optional<UserLine> user = source_lines.find_user(at, {});
      add_line(Finding::input_read, draw_name(place.kind), user ? user->text() : base_name(at));
    }
  for (const std::string& line : lines[Finding::processes_started]) lines[Finding::clock_read].erase(line);
  for (const auto& [finding, names] : lines) verdict.add_named(finding, names);
}

/// Call sites of seeds that may be the program's own, or a hash of a clock: a comparison tells.
void find_unexplained_seeds(const VerdictInputs& inputs, Verdict& verdict) {
  const auto has_one = [](const SymbolSummary& symbol) {
    return has_reason(symbol, {Reason::unexplained_seed});
  };
  if (std::ranges::none_of(inputs.summary.symbols, has_one)) return;
  SourceLines source_lines(inputs.code.changed);
  std::set<std::string> names;
  each_record(inputs.log, [&](const Process&, const Call& call, const CallCount&) {
    if (reason_of(call.why) != Reason::unexplained_seed) return;
    const std::string* const seed = find_field(call.fields, "requested");
    const auto has_it = [&](const std::string& frame) { return is_written_in(frame, *seed); };
    if (seed != nullptr && std::ranges::any_of(call.python.frames, has_it))
      return; // random.seed is Python's own
    const std::string line = line_of_call(call, source_lines);
    names.insert(line.empty() ? base_name(call.at) : line);
  });
  if (names.empty()) return;
  verdict.add(
      {.finding = Finding::seed_unexplained, .names = {names.begin(), names.end()}, .count = names.size()});
}

/// What of a shell differs in each run: no hook sees it. Its script may be read for that, as other
/// interpreters' cannot: those are a reason each (`runtime`).
void find_shell_words(const VerdictInputs& inputs, Verdict& verdict) {
  constexpr std::string_view words[] = {"$$",    "RANDOM", "SECONDS", "EPOCH",    "BASHPID",
                                        "PPID",  "date",   "uptime",  "hostname", "/proc",
                                        "ls -t", " & ",    " &\n",    "xargs -P"};
  std::map<std::string, std::set<std::string>> found;
  for (const Process& process : inputs.log.processes)
    for (const Start& start : process.starts) {
      const std::string shell = base_name(start.program);
      if (!is_shell(shell.c_str())) continue;
      std::string text;
      if (start.args.size() == 1) found[shell].emplace("a text from its input");
      for (std::size_t i = 1; i < start.args.size(); ++i) {
        const bool is_file = text.empty() && !start.args[i].starts_with('-') && start.args[i - 1] != "-c";
        text += is_file ? beginning_of_file(std::filesystem::path(start.working_directory) / start.args[i])
                        : start.args[i];
        text += '\n';
        if (is_file && text.size() == 1) found[shell].emplace("a text that is gone");
        if (is_file) break; // what follows are the script's own arguments
      }
      for (const std::string_view word : words)
        if (text.find(word) != std::string::npos) found[shell].emplace(word);
    }
  for (const auto& [shell, its] : found)
    verdict.add({.finding = Finding::script_words, .file = shell, .names = {its.begin(), its.end()}});
}

// ---- What its files say that can happen ----

void find_code(const VerdictInputs& inputs, Verdict& verdict) {
  const LoadedCode& code = inputs.code;
  if (const std::size_t places = code.own_places(); places > 0) {
    const FileScan& first = code.uncovered.front();
    verdict.add({.finding = Finding::own_code,
                 .file = first.file,
                 .place = first.places.empty() ? "" : place_text(first, first.places.front()),
                 .count = places});
  }
  if (!code.is_decoded) verdict.add({.finding = Finding::not_decoded});
  verdict.add_named(Finding::missing_files, code.missing, code.missing.empty() ? "" : code.missing.front());
  verdict.add_named(Finding::changed_files, code.changed, code.changed.empty() ? "" : *code.changed.begin());
}

/// What seeds itself from a clock or from the processor: whether the program drew from it, nobody can tell.
void find_runtimes(const VerdictInputs& inputs, Verdict& verdict) {
  std::set<std::pair<std::string, std::string>> all;
  for (const Process& process : inputs.log.processes)
    for (const Runtime& runtime : process.runtimes) all.emplace(runtime.file, runtime.why);
  for (const auto& [file, why] : all) verdict.add({.finding = Finding::runtime, .file = file, .code = why});
}

// ---- How it was run ----

/// True if the CUDA libraries of a process had algorithms to choose.
bool chose_algorithms(const Process& process) {
  return std::ranges::any_of(process.libraries, has_algorithms, &Library::name) ||
         std::ranges::any_of(process.coverage, [&](const Coverage& coverage) {
           return has_algorithms(coverage.library) && may_have_used(process, coverage.library);
         });
}

void find_settings(const VerdictInputs& inputs, Verdict& verdict) {
  std::set<std::string> disabled;
  bool observes = false, records = false;
  for (const Process& process : inputs.log.processes)
    for (const Start& start : process.starts) {
      if (start.disabled) disabled.insert(*start.disabled);
      observes |= start.mode == "observe";
      records |= start.mode == "record" && chose_algorithms(process);
    }
  if (observes) verdict.add({.finding = Finding::mode_observe});
  if (records) verdict.add({.finding = Finding::mode_record});
  for (const std::string& text : disabled) verdict.add({.finding = Finding::disabled, .detail = text});
}

/// Programs that left no log: their parent, or what they were before, says so.
void find_lost_processes(const Process& process, const std::string& program, Verdict& verdict) {
  for (const Lost& lost : process.lost)
    verdict.add(
        {.finding = Finding::lost_process, .file = lost.program, .code = lost.why, .detail = lost.path});
  const bool is_named = contains(process.lost, process.pid, &Lost::pid);
  if (!process.gave_up_rights.empty() && !process.end && !is_named)
    verdict.add({.finding = Finding::gave_up_rights,
                 .detail = process.gave_up_rights,
                 .names = {process.path},
                 .others = {program}});
}

void find_processes(const VerdictInputs& inputs, Verdict& verdict) {
  std::vector<std::string> unended, lost, unnamed;
  for (const Process& process : inputs.log.processes) {
    const std::string program =
        process.starts.empty() ? process.file : base_name(process.starts.back().program);
    find_lost_processes(process, program, verdict);
    // What it executed has a log of its own, draws nothing, or is a reason of its own.
    const bool is_unseen = contains(process.lost, process.pid, &Lost::pid);
    if (!process.came_to_its_end() && process.gave_up_rights.empty() && !is_unseen &&
        !was_ended_by_parent(inputs.log, process))
      unended.push_back("rank " + std::to_string(process.rank) + " process " + process.path + " (" +
                        (process.executed ? base_name(process.executed->program) : program) + ")");
    if (process.starts.empty()) lost.push_back(process.file);
    if (process.came_to_its_end() && process.modules.empty()) unnamed.push_back(program);
  }
  if (const std::int64_t root = inputs.log.missing_root; root != 0)
    unended.push_back("process " + std::to_string(root) + ", the first, which left no log");
  verdict.add_named(Finding::no_modules, unnamed);
  verdict.add_named(Finding::no_end, unended);
  verdict.add_named(Finding::no_start, lost, lost.empty() ? "" : lost.front());
}

/// Ranks that a launcher started, as it told the others, and that no library was in.
void find_ranks(const VerdictInputs& inputs, Verdict& verdict) {
  for (const LoggedJob& job : jobs_of(inputs.log)) {
    if (job.missing() == 0) continue;
    verdict.add({.finding = job.size == 0 ? Finding::no_rank : Finding::missing_ranks,
                 .place = job.name,
                 .detail = job.launcher,
                 .names = {std::to_string(job.missing())},
                 .others = job.missing_names(),
                 .count = static_cast<std::uint64_t>(job.size)});
  }
}

void find_damage(const VerdictInputs& inputs, Verdict& verdict) {
  const Log& log = inputs.log;
  std::size_t lines = log.damaged_lines; // and the torn ones of processes that ended: others have no_end
  for (const Process& process : log.processes) lines += process.has_torn_line && process.end ? 1 : 0;
  if (lines > 0) verdict.add({.finding = Finding::damaged, .count = lines});
  for (const OtherFormatFile& file : log.other_format_files)
    verdict.add({.finding = Finding::other_format, .file = file.file, .detail = std::to_string(file.format)});
  for (const std::string& file : log.unreadable_files)
    verdict.add({.finding = Finding::unreadable, .file = file});
}

/// A run in which nothing happened that detshim looks for: what its results come from, nobody has seen.
void find_no_draw(const VerdictInputs& inputs, Verdict& verdict) {
  const auto is_blank = [](const Process& process) {
    return process.calls == 0 && process.libraries.empty() && process.frameworks.empty() &&
           process.bound.empty();
  };
  if (verdict.reasons.empty() && std::ranges::all_of(inputs.log.processes, is_blank))
    verdict.add({.finding = Finding::no_draw});
}

constexpr void (*finders[])(const VerdictInputs&, Verdict&) = {
    find_calls,       find_pools,    find_users_lines, find_unexplained_seeds,
    find_shell_words, find_code,     find_kernels,     find_unhooked_functions,
    find_runtimes,    find_settings, find_processes,   find_ranks,
    find_libraries,   find_damage,   find_no_draw,     count_idle_libraries};

/// Takes the reasons back that the user answers for.
void take_back(const std::vector<std::string>& names, Verdict& verdict) {
  for (const std::string& name : names) {
    const std::size_t colon = name.find(':');
    const auto is_meant = [&](const VerdictReason& reason) {
      if (name.substr(0, colon) != reason.kind()) return false;
      if (colon == std::string::npos) return true;
      const std::string subject = name.substr(colon + 1);
      return subject == reason.function || subject == reason.file || subject == reason.library ||
             subject == subject_of(reason);
    };
    std::ranges::copy_if(verdict.reasons, std::back_inserter(verdict.accepted), is_meant);
    std::erase_if(verdict.reasons, is_meant);
    // One that repeats another name counts what is gone already.
    verdict.acceptances.push_back(
        {name, static_cast<std::size_t>(std::ranges::count_if(verdict.accepted, is_meant))});
  }
}

} // namespace

bool is_acceptance(const std::string& name) {
  const std::size_t colon = name.find(':');
  return is_finding_kind(name.substr(0, colon)) && (colon == std::string::npos || colon + 1 < name.size());
}

JudgedLog::JudgedLog(Log read, Decode decode, const std::vector<std::string>& accepted)
    : log(std::move(read)), summary(summarise(log)), code(scan_loaded_code(log, summary, decode)) {
  for (const auto find : finders) find({log, summary, code}, verdict);
  take_back(accepted, verdict);
  std::ranges::stable_sort(verdict.reasons, std::greater<>(), &VerdictReason::level);
  if (!verdict.reasons.empty()) verdict.level = verdict.reasons.front().level();
  verdict.has_refused = summary.calls(Action::refuse) > 0;
}

} // namespace detshim
