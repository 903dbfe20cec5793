#include "report/log_report.h"

#include "log_reader/source_lines.h"
#include "report/style.h"
#include "report/verdict_texts.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <map>
#include <ostream>
#include <set>
#include <utility>

namespace detshim {
namespace {

constexpr std::size_t few = 3;
constexpr std::size_t most_reasons = 7;
constexpr std::size_t few_instructions = 5; // of one file

bool only_observes(const Process& process) {
  return std::ranges::any_of(process.starts, [](const Start& start) {
    return start.mode == "observe";
  });
}

/// "rdrand in ./train+0x11b9 (draw): an instruction of the processor, which no preload can
/// intercept".
std::string describe_place(const FileScan& scan, const FoundPlace& place) {
  const char* const why = place.kind == DrawKind::getrandom
                              ? "made without libc, which no preload can intercept"
                              : "an instruction of the processor, which no preload can intercept";
  return std::string(draw_name(place.kind)) + " in " + printable(place_text(scan, place)) +
         (place.function.empty() ? "" : " (" + printable(place.function) + ")") + ": " + why;
}

/// The text form, section by section.
class TextPrinter {
public:
  TextPrinter(std::ostream& out, const JudgedLog& judged, bool all, Style style)
      : out_(out), log_(judged.log), summary_(judged.summary), code_(judged.code),
        verdict_(judged.verdict), all_(all),
        acts_(std::ranges::none_of(log_.processes, only_observes)), style_(style),
        source_lines_(code_.changed) {}

  void print() {
    print_heading();
    print_totals();
    if (all_ ||
        verdict_.level != VerdictLevel::verified) { // else a comparison has said all that matters
      print_hints();
      for (const ActionSection& section : action_sections)
        print_section(section);
      if (all_ && !summary_.symbols.empty())
        print_records();
      print_libraries();
      print_environment();
      print_switches();
    }
    print_notes();
    print_verdict();
  }

private:
  void print_heading() {
    std::vector<std::string> commands, settings; // distinct, in the order of the processes
    std::set<std::string> seen;
    const std::string& begun =
        verdict_.evidence.command; // its own process may have had nothing to record
    if (!begun.empty())
      commands.push_back(printable(begun));
    for (const Process& process : log_.processes)
      for (const Start& start : process.starts) {
        if (std::string text = describe_command(start);
            seen.insert("command " + text).second && shell_command(start.args) != begun)
          commands.push_back(std::move(text));
        if (std::string text = describe_settings(start); seen.insert("settings " + text).second)
          settings.push_back(std::move(text));
      }
    out_ << style_.bold(commands.empty() ? "a program that left no record of its start"
                                         : commands.front());
    if (commands.size() > 1)
      out_ << " and " << counted(commands.size() - 1, "other program");
    out_ << '\n';
    for (std::size_t i = 0; i < std::min(settings.size(), few); ++i)
      out_ << settings[i] << '\n';
    if (settings.size() > few)
      out_ << "and " << settings.size() - few << " other settings\n";
    out_ << counted(summary_.ranks, "rank") << describe_nodes() << ", "
         << counted(summary_.processes, "process", "processes") << ", "
         << counted(summary_.threads, "thread");
    if (!log_.run.empty())
      out_ << "; run " << printable(log_.run) << describe_age();
    out_ << "\n\n";
  }

  /// ", 5 minutes ago", where it is known when it began.
  std::string describe_age() const {
    std::uint64_t begun = 0;
    for (const Process& process : log_.processes)
      if (!process.starts.empty())
        begun = std::max(begun, process.starts.front().begun);
    const auto now = static_cast<std::uint64_t>(std::time(nullptr)), then = begun / 1'000'000;
    if (begun == 0 || now < then)
      return "";
    const std::uint64_t minutes = (now - then) / 60, hours = minutes / 60;
    return ", " +
           (hours >= 48 ? counted(hours / 24, "day")
            : hours > 0 ? counted(hours, "hour")
                        : counted(minutes, "minute")) +
           " ago";
  }

  /// " on 2 nodes (a, b)", where that is known and says something.
  std::string describe_nodes() const {
    std::set<std::string> nodes;
    for (const RankMark& mark : log_.marks)
      if (mark.program.empty())
        nodes.insert(mark.node);
    if (nodes.size() < 2)
      return "";
    return " on " + counted(nodes.size(), "node") + " (" +
           printable(some_of({nodes.begin(), nodes.end()})) + ")";
  }

  /// "on rank 391 of 500, node b7": whose calls these are, where not all ranks made them.
  std::string describe_ranks(const SymbolSummary& symbol) const {
    const auto& ranks = symbol.calls->ranks;
    const bool is_only = ranks.size() == 1 && ranks.begin()->second == 0 && log_.marks.empty();
    if (ranks.empty() || (summary_.ranks < 2 && is_only))
      return "";
    if (const std::string all = describe_all_ranks(ranks); !all.empty())
      return all;
    std::vector<std::string> names;
    for (const auto& [job, rank] : ranks)
      if (names.size() < few)
        names.push_back(describe_rank(job, rank));
    std::string text = joined(names, "; ");
    if (ranks.size() > names.size())
      text += "; and " + std::to_string(ranks.size() - names.size()) + " more";
    return printable(text);
  }

  /// "all 500 ranks", where these are all of the one job; else empty.
  std::string
  describe_all_ranks(const std::set<std::pair<std::string, std::int64_t>>& ranks) const {
    const std::string& job = ranks.begin()->first;
    const bool is_one_job = std::ranges::all_of(ranks, [&](const auto& rank) {
      return rank.first == job;
    });
    if (!is_one_job || ranks.size() < 2 ||
        static_cast<std::int64_t>(ranks.size()) != size_of_job(log_, job))
      return "";
    return "all " + std::to_string(ranks.size()) + " ranks";
  }

  /// "rank 391 of 500 (other job), node b7".
  std::string describe_rank(const std::string& job, std::int64_t rank) const {
    const std::int64_t size = size_of_job(log_, job);
    const std::string node = node_of(log_, job, rank);
    return "rank " + std::to_string(rank) + (size > 0 ? " of " + std::to_string(size) : "") +
           (job.empty() ? "" : " (" + job + ")") + (node.empty() ? "" : ", node " + node);
  }

  static std::string describe_settings(const Start& start) {
    const std::string seed = start.seed ? "seed " + *start.seed : "no seed";
    const std::string from = start.seed_from == "drawn" ? " (drawn)" : "";
    return printable(seed + from + ", mode " + start.mode + ", policy " + start.policy +
                     (start.disabled ? ", disabled " + *start.disabled : ""));
  }

  void print_totals() {
    std::vector<std::string> bad;
    add_amount(bad, Action::nondeterministic, " went ahead nondeterministic",
               " went ahead nondeterministic");
    add_amount(bad, Action::uncovered, " took a way that detshim cannot hook",
               " took a way that detshim cannot hook");
    const bool can_differ = !bad.empty();
    add_amount(bad, Action::refuse, " was refused", " were refused");

    if (bad.empty())
      out_ << "No problem was recorded.";
    else
      out_ << style_.red(enumerated(bad) + ".");
    if (code_.own_places() > 0)
      out_ << ' '
           << style_.red(counted(code_.own_places(), "place") +
                         " in loaded code can draw around every hook.");
    if (can_differ || code_.own_places() > 0)
      out_ << " Two runs can differ there.";
    if (all_ && code_.system_places() > 0)
      out_ << ' ' << counted(code_.system_places(), "place")
           << " in libraries that packages brought can, if the program reaches them.";
    const auto number = [this](Action action) {
      return (summary_.total(action).is_exact ? "" : "at least ") +
             std::to_string(summary_.calls(action));
    };
    out_ << "\nReplaced: " << number(Action::replace) << ", pinned: " << number(Action::pin)
         << ", only observed: " << number(Action::observe)
         << (acts_ && !all_ && summary_.calls(Action::observe) > 0 ? " (--all)" : "") << ".\n";
    if (verdict_.idle_cuda_libraries > 0)
      out_ << counted(verdict_.idle_cuda_libraries, "CUDA library", "CUDA libraries")
           << " loaded, no GPU used.\n";
    if (!verdict_.shown_times.empty())
      out_ << (all_ ? "Times that are only shown: " + printable(joined(verdict_.shown_times, ", "))
                    : counted(verdict_.shown_times.size(), "line") +
                          " with times that are only shown (--all)")
           << ".\n";
  }

  void add_amount(std::vector<std::string>& parts, Action action, const char* singular,
                  const char* plural) const {
    CallCount count{summary_.calls(action), summary_.total(action).is_exact};
    for (const SymbolSummary& symbol : summary_.symbols)
      if (symbol.action == action && code_.is_harmless(symbol))
        count.calls -= std::min(count.calls, symbol.count.calls);
    if (count.calls > 0)
      parts.push_back(describe_calls(count) + (count.calls == 1 ? singular : plural));
  }

  void print_hints() {
    const auto is_random = [](const Process& process) {
      return std::ranges::any_of(process.starts, [](const Start& start) {
        return start.layout == "random";
      });
    };
    if (std::ranges::any_of(log_.processes, is_random))
      out_ << "\nhint: the address-space layout is random: what is ordered by addresses (sets of "
              "pointers, of "
              "Python\n      objects) can differ from run to run; `detshim run` turns it off.\n";
    for (const Process& process : log_.processes)
      if (process.end && process.end->failed != 0)
        return print_repeated_names(process.end->failed);
  }

  void print_repeated_names(std::uint64_t status) {
    out_ << "\nhint: a process ended with status " << status
         << ", and an earlier run here had this seed: names that the program\n      makes (uuid4, "
            "tokens, "
            "tempfile) are that run's again; `DETSHIM_KEEP_ENTROPY=uuid,secrets,tempfile` makes "
            "new\n      "
            "ones.\n";
  }

  void print_section(const ActionSection& section) {
    std::size_t name_width = 0;
    for (const SymbolSummary& symbol : summary_.symbols)
      if (is_shown(symbol, section.action))
        name_width = std::max(name_width, std::min<std::size_t>(width(shown_name(symbol)), 48));
    const bool has_code =
        section.action == Action::uncovered && (all_ ? !code_.uncovered.empty() : code_.own > 0);
    if (name_width == 0 && !has_code)
      return;

    out_ << '\n'
         << (is_bad(section.action) ? style_.red(section.title) : style_.bold(section.title))
         << " - " << section.meaning << '\n';
    const std::string* library = nullptr;
    for (const SymbolSummary& symbol : summary_.symbols) {
      if (!is_shown(symbol, section.action))
        continue;
      if (library == nullptr || *library != symbol.library)
        out_ << "  " << printable(symbol.library) << '\n';
      library = &symbol.library;
      print_named_symbol(symbol, name_width);
    }
    if (has_code)
      print_code();
  }

  void print_named_symbol(const SymbolSummary& symbol, std::size_t name_width) {
    const std::string name = padded(shown_name(symbol), name_width);
    const std::string calls = describe_calls(symbol.count);
    const bool is_folded = !all_ && is_draw(symbol);
    out_ << "    " << style_.bold(name) << "  " << calls;
    if (is_folded)
      out_ << "  " << describe_draw(symbol, 8 + name.size() + calls.size());
    out_ << '\n';
    if (!is_folded)
      print_symbol(symbol);
  }

  static std::string shown_name(const SymbolSummary& symbol) {
    return printable(demangled(symbol.function.c_str()));
  }

  bool is_shown(const SymbolSummary& symbol, Action action) const {
    if (symbol.action != action)
      return false;
    // Where the library acts, what it left alone needs nobody's attention; what does is among the
    // reasons.
    const bool is_left_alone = action == Action::observe && acts_;
    return all_ || !(is_left_alone || code_.is_harmless(symbol));
  }

  /// True for what drew from our own stream, or was left alone: it has no seed of the program's
  /// to show.
  static bool is_draw(const SymbolSummary& symbol) {
    return (symbol.action == Action::pin || symbol.action == Action::observe) &&
           std::ranges::none_of(symbol.examples, [](const Example& example) {
             return find_field(example.fields, "requested") != nullptr;
           });
  }

  /// The rest of its line, which has `before` columns already.
  std::string describe_draw(const SymbolSummary& symbol, std::size_t before) {
    std::string text;
    if (symbol.action == Action::observe && !symbol.reasons.empty())
      text = printable(text_of_code(symbol.reasons.front())) + "; ";
    constexpr std::size_t most = 100; // so that a long log is not looked up line by line
    std::set<std::string> places;
    for (const CallPlace& place : symbol.places) {
      std::string described =
          with_base_names(describe_call_site(place.at, place.frames, place.python, source_lines_));
      if (places.empty())
        text += described;
      if (places.insert(std::move(described)).second && places.size() == most)
        break;
    }
    const std::string others =
        places.size() > 1 ? " and " + counted(places.size() - 1, "more place") : std::string();
    return style_.faint(fitting(text, before + others.size()) + others);
  }

  void print_code() {
    out_ << "  in loaded code\n";
    for (std::size_t n = 0; n < (all_ ? code_.uncovered.size() : code_.own); ++n) {
      const FileScan& file = code_.uncovered[n];
      const std::size_t shown =
          all_ ? file.places.size() : std::min(file.places.size(), few_instructions);
      for (std::size_t i = 0; i < shown; ++i)
        out_ << "    " << describe_place(file, file.places[i]) << '\n';
      if (shown < file.places.size())
        out_ << "    "
             << style_.faint("and " + std::to_string(file.places.size() - shown) + " more in " +
                             printable(file.file) + " (--all)")
             << '\n';
    }
    out_ << "    remedy: " << draw_remedy << '\n';
  }

  void print_symbol(const SymbolSummary& symbol) {
    Lines examples, reasons, places;
    for (const Example& example : symbol.examples)
      examples.add(describe_fields(example.fields), example.count);
    examples.has_others = symbol.examples_left_out > 0;
    for (const std::string& reason : symbol.reasons)
      reasons.add(printable(text_of_code(reason)), symbol.count);
    for (const CallPlace& place : symbol.places)
      places.add(describe_call_site(place.at, place.frames, place.python, source_lines_),
                 place.count);
    const std::size_t most =
        all_ ? examples.lines.size() + reasons.lines.size() + places.lines.size() : few;
    print_lines("value", examples, most, true);
    print_lines("why", reasons, most, false);
    const bool needs_all =
        symbol.action == Action::nondeterministic || symbol.action == Action::uncovered;
    print_line("on", describe_ranks(symbol));
    print_lines("at", places, needs_all ? places.lines.size() : most, true);
  }

  void print_records() {
    out_ << '\n' << style_.bold("records") << " - as they were written\n";
    each_record(log_, [this](const Process& process, const Call& call, const CallCount& count) {
      out_ << "  rank " << process.rank << " process " << printable(process.path) << " thread "
           << printable(call.thread) << " #" << call.number << ": " << printable(call.library)
           << ' ' << printable(call.function) << ", "
           << action_names[static_cast<std::size_t>(call.action)] << ", " << describe_calls(count)
           << '\n';
      print_line("value", describe_fields(call.fields));
      print_line("why", printable(text_of_code(call.why)));
      print_line("rule", printable(call.rule));
      print_line("at", describe_call_site(call.at, call.frames, call.python, source_lines_));
      if (!call.python.empty())
        print_line("in", describe_call_site(call.at, call.frames, {}, source_lines_));
    });
  }

  /// Lines of text with a number of calls each. Places that read alike are one to the reader.
  struct Lines {
    std::vector<std::pair<std::string, CallCount>> lines;
    std::map<std::string, std::size_t> index;
    bool has_others = false; ///< there were more, of which not all were kept

    void add(const std::string& text, const CallCount& count) {
      const auto [known, is_new] = index.try_emplace(text, lines.size());
      if (is_new)
        lines.push_back({text, count});
      else
        lines[known->second].second.add(count);
    }
  };

  void print_lines(const char* label, const Lines& entries, std::size_t most, bool with_count) {
    const auto& lines = entries.lines;
    const std::size_t shown = std::min(lines.size(), most);
    std::size_t text_width = 0;
    for (std::size_t i = 0; i < shown; ++i)
      text_width = std::max(text_width, std::min<std::size_t>(width(lines[i].first), 80));
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& [text, count] = lines[i];
      const bool needs_count = with_count && lines.size() > 1;
      print_line(i == 0 ? label : "",
                 needs_count ? padded(text, text_width) + "  " + style_.faint(describe_calls(count))
                             : text);
    }
    if (shown < lines.size())
      print_line("", style_.faint((entries.has_others ? "and more than " : "and ") +
                                  std::to_string(lines.size() - shown) + " more (--all)"));
  }

  void print_line(const char* label, const std::string& text) {
    if (!text.empty())
      out_ << "      " << padded(label, 7) << text << '\n';
  }

  void print_libraries() {
    if (summary_.libraries.empty())
      return;
    out_ << '\n' << style_.bold("libraries") << '\n';
    for (const Library& library : summary_.libraries)
      out_ << "  " << printable(library.name) << ' '
           << printable(library.version.value_or("(version unknown)")) << "  "
           << style_.faint(printable(library.file)) << '\n';
  }

  void print_environment() {
    if (!all_) {
      print_folded_environment();
      return;
    }
    if (!summary_.environment.empty())
      out_ << '\n' << style_.bold("environment") << " - variables that detshim set\n";
    const std::map<std::string, std::vector<std::string>> readers = readers_of_settings();
    for (const EnvironmentChange& change : summary_.environment) {
      const auto by = readers.find(change.name);
      const std::string was = change.was == change.now ? "was there already"
                              : change.was             ? "was " + printable(*change.was)
                                                       : "was unset";
      const std::string read = by == readers.end() ? "" : "; read by " + enumerated(by->second);
      out_ << "  " << printable(change.name) << '=' << printable(change.now) << "  "
           << style_.faint('(' + was + read + ')') << '\n';
    }
    if (!summary_.noted.empty())
      out_ << '\n' << style_.bold("noted") << " - variables that matter, as they were set\n";
    for (const NotedVariable& variable : summary_.noted)
      out_ << "  " << printable(variable.name) << '=' << printable(variable.value) << '\n';
  }

  /// All of them in one line.
  void print_folded_environment() {
    std::vector<std::string> parts;
    if (!summary_.environment.empty())
      parts.push_back(counted(summary_.environment.size(), "variable") + " set");
    if (!summary_.noted.empty())
      parts.push_back(std::to_string(summary_.noted.size()) + " of yours kept");
    if (const auto read = readers_of_settings(); !read.empty())
      parts.push_back(std::to_string(read.size()) + " used by libraries");
    if (!parts.empty())
      out_ << '\n' << style_.bold("settings") << " - " << joined(parts, ", ") << " (--all)\n";
  }

  /// Variables of the user's that speak of determinism.
  void print_switches() {
    const std::vector<SwitchUse> switches = find_switches(log_);
    if (switches.empty())
      return;
    out_ << '\n' << style_.bold("switches") << " - variables of yours that speak of determinism\n";
    for (const SwitchUse& use : switches)
      out_ << "  " << printable(use.name) << "  " << describe_switch(use, source_lines_) << '\n';
  }

  /// By the settings that a library asked for, by getenv: who did. Python itself is no library.
  std::map<std::string, std::vector<std::string>> readers_of_settings() const {
    std::set<std::string> set;
    for (const EnvironmentChange& change : summary_.environment)
      if (change.name != "PYTHONHASHSEED")
        set.insert(change.name);
    std::map<std::string, std::vector<std::string>> files;
    for (const SettingReader& reader : summary_.readers)
      if (set.contains(reader.name))
        files[reader.name].push_back(printable(reader.file));
    return files;
  }

  /// What the verdict's reasons do not say.
  void print_notes() {
    std::vector<std::string> notes;
    if (summary_.without_counts > 0)
      notes.push_back("no counts for " + counted(summary_.without_counts, "process", "processes") +
                      ": each of its records counts as one call");
    if (log_.torn_lines > 0)
      notes.push_back(
          counted(log_.torn_lines, "last line") +
          " cut short and left out: the process was killed, the disk was full, or it still runs");
    if (all_ && code_.undecoded > 0)
      notes.push_back(counted(code_.undecoded, "place") + " in loaded code could not be decoded");
    if (!log_.other_runs.empty())
      notes.push_back(counted(log_.other_runs.size(), "other run") +
                      " in this folder left out, the newest of them " + log_.other_runs.front() +
                      " (--run NAME reads it)");
    if (notes.empty())
      return;
    out_ << '\n' << style_.bold("notes") << '\n';
    for (const std::string& note : notes)
      out_ << "  " << printable(note) << '\n';
  }

  /// The last lines: what a person reads first at a terminal.
  void print_verdict() {
    const std::string name = level_name(verdict_.level);
    const bool is_good = verdict_.level <= VerdictLevel::verified;
    out_ << '\n'
         << style_.bold("verdict:") << ' ' << (is_good ? style_.bold(name) : style_.red(name));
    out_ << " - " << meaning_of(verdict_) << (verdict_.reasons.empty() || is_good ? "\n" : ":\n");
    if (is_good && verdict_.has_refused)
      out_ << "  Calls failed on purpose (mode strict): the program did not do what it wanted.\n";
    const std::size_t most = verdict_.level == VerdictLevel::verified ? 0 : most_reasons;
    const std::size_t shown =
        all_ ? verdict_.reasons.size() : std::min(verdict_.reasons.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
      print_reason(verdict_.reasons[i]);
      if (all_ && are_cut(verdict_.reasons[i].names))
        out_ << "    all of them: " << printable(joined(verdict_.reasons[i].names, ", ")) << '\n';
    }
    if (shown < verdict_.reasons.size())
      out_ << "  "
           << (most == 0 ? counted(verdict_.reasons.size(), "thing") + " can differ, and did not"
                         : std::to_string(verdict_.reasons.size() - shown) + " more")
           << ": --all\n";
    print_accepted();
    if (const std::string text = evidence_text(verdict_.evidence); !text.empty())
      print_wrapped("  ", printable(text));
    if (verdict_.can_be_settled())
      out_ << "  to settle it: detshim verify -- " << first_command() << '\n';
  }

  /// As the run began; what is executed later has another.
  std::string first_command() const {
    if (!verdict_.evidence.command.empty())
      return printable(verdict_.evidence.command);
    for (const Process& process : log_.processes)
      if (!process.starts.empty() && is_first_process(process.rank, process.path))
        return shell_command(process.starts.front().args);
    return "program";
  }

  static std::string name_of(const VerdictReason& reason) {
    const std::string subject = subject_of(reason);
    return reason.kind() + (subject.empty() ? "" : ":" + printable(subject));
  }

  void print_reason(const VerdictReason& reason) const {
    const std::string advice = reason_remedy(reason);
    std::string text = printable(reason_text(reason));
    if (!all_) {
      text = with_base_names(text);
      if (const std::string again = printable(subject_of(reason)) + ": "; text.starts_with(again))
        text.erase(0, again.size());
    }
    print_wrapped("  " + padded(level_name(reason.level()), 12),
                  name_of(reason) + " - " + text + (advice.empty() ? "" : "; " + advice));
  }

  /// As much of the text as a line of the terminal has room for; all of it elsewhere.
  std::string fitting(const std::string& text, std::size_t taken) const {
    const std::size_t columns = style_.columns;
    return columns == 0 ? text : cut(text, columns - std::min(columns - 1, taken));
  }

  /// In one line; at a terminal in as many as it takes, each below the text's begin.
  void print_wrapped(const std::string& start, const std::string& text) const {
    const std::size_t columns = all_ ? 0 : style_.columns;
    const std::size_t taken = width(start);
    const std::size_t left = columns > taken ? columns - taken : std::min<std::size_t>(columns, 1);
    out_ << start << broken(text, left, std::string(taken, ' ')) << '\n';
  }

  void print_accepted() const {
    for (const Acceptance& acceptance : verdict_.acceptances)
      out_ << "  "
           << (acceptance.reasons > 0
                   ? "accepted: " + printable(acceptance.name) + ", " +
                         counted(acceptance.reasons, "reason")
                   : "accepted, but no reason has that name: " + printable(acceptance.name))
           << '\n';
  }

  std::ostream& out_;
  const Log& log_;
  const Summary& summary_;
  const LoadedCode& code_;
  const Verdict& verdict_;
  bool all_;
  bool acts_; ///< in no process the library only observes
  Style style_;
  SourceLines source_lines_;
};

} // namespace

void print_log_text(std::ostream& out, const JudgedLog& judged, bool all, Style style) {
  TextPrinter(out, judged, all, style).print();
}

} // namespace detshim
