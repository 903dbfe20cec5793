#include "report/verdict_texts.h"

#include "scanner/scan.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <iterator>
#include <sstream>
#include <string_view>

namespace detshim {
namespace {

/// A text with values: `{file}`, or `{file|what stands there without one}`. What is in brackets is
/// left out where a value in it is empty.
struct Sentence {
  Finding finding;
  const char* text;
  const char* remedy = "";
};

constexpr const char* run_as_user =
    "run it as the user, and under the root, that the log's folder belongs to";
constexpr const char* accept_kernels = "compare two runs, then `detshim log --accept kernels`";
constexpr const char* compare = "compare two runs";
constexpr const char* load_shared = "link the shared library";

using enum Finding;

constexpr Sentence sentences[] = {
    {nondeterministic_call,
     "{library}: {function}[ by {file_name}][ ({place})]: {code|went ahead nondeterministic}",
     "{remedy}"},
    {nondeterministic_operator,
     "{library}: {function} ran, which has no deterministic implementation",
     "take another operator"},
    {may_be_key, "may be a key of {file_name}", "if not: DETSHIM_KEEP_ENTROPY=-{file_stem}"},
    {uncovered_call,
     "{library}: {function} took a way that detshim cannot hook[: {code}][ ({detail})]",
     "{remedy}"},
    {lost_bad_calls, "{calls} counted as {detail}, whose records are lost"},
    {lost_calls, "{calls} counted as {detail}, whose records are lost: others may be"},
    {lost_records, "{records} lost: the numbers of a thread's records have a gap"},
    {bypass,
     "{library}: {file} is bound past the hook of {function}[ and {others_of_it}], to {names}",
     "load it behind libdetshim.so, and without RTLD_DEEPBIND"},
    {foreign,
     "{library}: {function} of {file} is not the library's: calls to it were handed through",
     load_shared},
    {linked_copy, "{library}: {function}[ and {more_functions}] linked statically into {file}",
     load_shared},
    {copy_or_stub,
     "{library}: {function}[ and {more_functions}] of {file} may be a copy of the library, or hand "
     "on to the "
     "one that is loaded",
     load_shared},
    {no_symbols,
     "{file} has code for a GPU and no symbol table: a CUDA library may be linked into it",
     "do not strip it"},
    {new_function_bound,
     "{library}: {file|the program} is bound to {names}, which this detshim ({library} {detail}) "
     "does not "
     "know",
     "take a detshim that knows it, or compare two runs"},
    {new_function_looked_up,
     "{library}: {file|the program} has looked up {names}, which this detshim ({library} {detail}) "
     "does not "
     "know",
     "take a detshim that knows it, or compare two runs"},
    {open_function_called,
     "{library}: {file|the program} is bound to {names}, which detshim does not hook: {detail}",
     compare},
    {open_function_looked_up,
     "{library}: {file|the program} has looked up {names}, which detshim does not hook: {detail}",
     compare},
    {open_functions_bound,
     "{names} can call {functions} of {others} without a hook; whether one was called is not known",
     compare},
    {undocumented_call,
     "{library}: {function} was called[ at {place}], and NVIDIA does not say whether it repeats",
     compare},
    {timed_choice,
     "{names} asks how long kernels take, and may choose among them by it[: called at {place}]",
     compare},
    {runtime, "{file_name}: {code}", "{remedy|give it a seed, or compare two runs}"},
    {later_version,
     "{library}: {file} is of version {detail}, later than {names}, with which this detshim was "
     "written",
     "take a later detshim, or compare two runs"},
    {unknown_version, "{library}: {file} does not say its version"},
    {setting_left,
     "{function} is not set: it is known good in versions {names}, and its reader is here in "
     "version "
     "{detail}",
     "`detshim verify`, or set it: `detshim options` has its value"},
    {none_of_the_hooks, "{library}: {file} has none of the functions that detshim hooks"},
    {open_library, "{file_name} is NVIDIA's, and detshim hooks none of its functions[: {nvidia}]",
     compare},
    {two_copies,
     "{library}: two copies are loaded, {detail} and {file}: which of them a call reached is not "
     "known",
     "load one"},
    {no_coverage, "{library}: {file} was unloaded before the end, or another program was executed: "
                  "what was bound past its "
                  "hooks is not known"},
    {no_modules, "what {names} had loaded at the end is not in the log",
     "log it with this version of libdetshim.so"},
    {kernel_compiler,
     "{file} compiles kernels as the program runs, which may add floating-point numbers by atomics",
     accept_kernels},
    {own_kernels, "{names} may have launched kernels, of which the log says nothing",
     accept_kernels},
    {racing_kernel,
     "kernel {function}[ ({place})] adds floating-point numbers in a race: {launches}",
     "add in a fixed order"},
    {open_kernels, "launched kernels may depend on the order of threads: {names}", accept_kernels},
    {unknown_kernels, "the code of launched kernels was not found: {names}", accept_kernels},
    {own_code, "{places} in loaded code can draw around every hook[, the first in {place}]",
     "{draw_remedy}"},
    {not_decoded, "the loaded code was not looked into (--no-scan)"},
    {missing_files, "cannot be looked into: {names}", "read the log where the program ran"},
    {changed_files, "changed since the run: {names}", "read the log before the program is rebuilt"},
    {mode_observe, "mode observe: nothing was changed",
     "run it with DETSHIM_SEED set and without DETSHIM_MODE"},
    {mode_record,
     "mode record: the algorithms of the CUDA libraries were left as the program chose them",
     "run it with DETSHIM_SEED set to this run's seed"},
    {disabled, "switched off by DETSHIM_DISABLE={detail}", "unset it"},
    {no_end, "{processes} left no recorded end (killed, or still running): {names}",
     "if still running, ask again"},
    {no_start, "the start of {names} is lost"},
    {lost_process, "{file} (process {detail}) left no log: {code}",
     "{remedy|run it as the user, and under the root, that the log's folder belongs to}"},
    {gave_up_rights,
     "process {names} ({others}) called {detail}; what it was or executed from then on left no log",
     run_as_user},
    {damaged, "{lines} of the log cannot be read"},
    {other_format, "{file} is of log format {detail}, which this detshim does not read",
     "read it with the detshim that wrote it"},
    {unreadable, "{file} cannot be read"},
    {racing_threads, "threads[ ({place})] may share a generator: which draws first is a race",
     "a generator for each thread"},
    {racing_manager, "several processes race at a manager[ ({place})]",
     "a part for each, put together in order"},
    {racing_trainers, "threads train one model at once[ ({place})]", "workers=1"},
    {sharing_threads, "threads[ ({place})] add to one array in the order in which they come",
     "n_jobs=1 there"},
    {racing_queue,
     "a queue[ ({place})] is filled by several processes: whose results come first is a race",
     "sort them, or take a queue for each (nnU-Net: nnUNet_n_proc_DA=0)"},
    {racing_workers, "workers race for tasks[ ({place})]", "if seeded, in order: --accept pool"},
    {tasks_in_turn, "a pool has its tasks in turn[ ({place})], but what they share is not seen",
     "compare; --accept pool"},
    {script_words, "a script of {file_name} has what can differ in each run: {statement_names}"},
    {missing_ranks, "{names} of {ranks}[ of {detail}][ ({place})] had no libdetshim.so: {others}",
     "hand it to them (docs/LAUNCHERS.md)"},
    {no_rank, "no rank[ of {detail}][ ({place})] had libdetshim.so",
     "hand it to them (docs/LAUNCHERS.md)"},
    {clock_read, "your code reads a clock or an id: {names}", "if it seeds: {freeze}"},
    {seed_unexplained,
     "nothing shows whether the seeds that these lines pass change from run to run: {names}"},
    {threads_started, "your code starts threads, or a package for it, which may race: {names}"},
    {processes_started, "processes run at the same time, and may race: {names}"},
    {input_read, "your code reads what no seed pins: {names}"},
    {state_carried,
     "the run read or looked for these files and changed or made them, so the next finds others: "
     "{names}",
     "begin each run without them"},
    {runs_differed, "under this seed, runs of this program differed on {detail}: {place}",
     "detshim verify says where"},
    {no_draw, "nothing was drawn; clocks, threads and files may still make results differ",
     "compare runs"},
};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < std::size(sentences); ++i)
    if (static_cast<std::size_t>(sentences[i].finding) != i)
      return false;
  return std::size(sentences) == static_cast<std::size_t>(Finding::no_draw) + 1;
}
static_assert(are_in_order(), "each finding has a sentence");

/// What NVIDIA says of its libraries that have no hooks, by how their files are called.
constexpr struct {
  std::string_view file_start;
  const char* text;
} nvidia_texts[] = {
    {"libcusparseLt.so", "its search chooses by time, and of its products nothing is said"},
    {"libcutensor", "it can choose kernels by time, and is not hooked"},
    {"libcudss.so", "its solvers repeat in a mode alone that the program has to choose"},
    {"libnvshmem_host.so", "of its reductions nothing is said"},
};

std::string nvidia_text(const std::string& file) {
  for (const auto& [file_start, text] : nvidia_texts)
    if (file.starts_with(file_start))
      return text;
  return "";
}

/// A statement, which may stand on several lines.
std::string one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line, word;
  while (words >> word)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string count_of(std::uint64_t count, const char* singular, const char* plural = nullptr) {
  if (count == 0)
    return "";
  return plural == nullptr ? counted(count, singular) : counted(count, singular, plural);
}

/// The option that freezes the clocks at those lines; "program date" is one as a whole.
std::string freeze_option(const std::vector<std::string>& lines) {
  constexpr std::size_t most = 3; // some of many would not do
  constexpr std::string_view program = "program ";
  std::vector<std::string> places;
  for (const std::string& line : lines)
    places.push_back(line.substr(line.starts_with(program) ? program.size() : 0));
  return lines.size() > most ? "--freeze-from LOG" : "--freeze " + printable(joined(places, ","));
}

/// "?" is no file's name.
std::string file_name(const VerdictReason& reason) {
  const std::string file = base_name(reason.file);
  return file == "?" ? "" : file;
}

std::string file_stem(const VerdictReason& reason) {
  const std::string file = base_name(reason.file);
  return file.substr(0, file.find('.'));
}

/// What a name in a sentence represents.
constexpr struct {
  std::string_view name;
  std::string (*of)(const VerdictReason& reason);
} values[] = {
    {"library",
     [](const VerdictReason& reason) {
       return reason.library;
     }},
    {"function",
     [](const VerdictReason& reason) {
       return reason.function;
     }},
    {"file",
     [](const VerdictReason& reason) {
       return reason.file;
     }},
    {"file_name",
     [](const VerdictReason& reason) {
       return file_name(reason);
     }},
    {"file_stem",
     [](const VerdictReason& reason) {
       return file_stem(reason);
     }},
    {"nvidia",
     [](const VerdictReason& reason) {
       return nvidia_text(base_name(reason.file));
     }},
    {"place",
     [](const VerdictReason& reason) {
       return reason.place;
     }},
    {"detail",
     [](const VerdictReason& reason) {
       return reason.detail;
     }},
    {"code",
     [](const VerdictReason& reason) {
       return reason.code.empty() ? std::string() : text_of_code(reason.code);
     }},
    {"remedy",
     [](const VerdictReason& reason) {
       return remedy_of_code(reason.code);
     }},
    {"names",
     [](const VerdictReason& reason) {
       return some_of(reason.names);
     }},
    {"freeze",
     [](const VerdictReason& reason) {
       return freeze_option(reason.names);
     }},
    {"statement_names",
     [](const VerdictReason& reason) {
       return one_line(some_of(reason.names));
     }},
    {"others",
     [](const VerdictReason& reason) {
       return enumerated(reason.others);
     }},
    {"draw_remedy",
     [](const VerdictReason&) {
       return std::string(draw_remedy);
     }},
};

/// Names that are the reason's count, with what is counted. Nothing of none.
constexpr struct {
  std::string_view name;
  const char* singular;
  const char* plural; ///< nullptr: with an s
} counts[] = {
    {"calls", "call", nullptr},
    {"records", "record", nullptr},
    {"lines", "line", nullptr},
    {"places", "place", nullptr},
    {"launches", "launch", "launches"},
    {"ranks", "rank", nullptr},
    {"functions", "function", nullptr},
    {"processes", "process", "processes"},
    {"more_functions", "more function", nullptr},
    {"others_of_it", "other", nullptr},
};

std::string value_of(std::string_view name, const VerdictReason& reason) {
  for (const auto& value : values)
    if (value.name == name)
      return value.of(reason);
  for (const auto& count : counts)
    if (count.name == name)
      return count_of(reason.count, count.singular, count.plural);
  return "";
}

/// Fills the values in. `is_whole`: false if one of them is empty.
std::string filled_in(std::string_view text, const VerdictReason& reason, bool& is_whole) {
  std::string result;
  while (!text.empty()) {
    const std::size_t mark = text.find_first_of("{[");
    result += text.substr(0, mark);
    if (mark == text.npos)
      break;
    const std::size_t close = text.find(text[mark] == '{' ? '}' : ']', mark);
    const std::string_view inner = text.substr(mark + 1, close - mark - 1);
    if (text[mark] == '[') {
      bool is_inner_whole = true;
      const std::string part = filled_in(inner, reason, is_inner_whole);
      if (is_inner_whole)
        result += part;
    } else {
      const std::size_t bar = inner.find('|');
      std::string value = value_of(inner.substr(0, bar), reason);
      if (value.empty() && bar != inner.npos)
        value = inner.substr(bar + 1);
      is_whole &= !value.empty();
      result += value;
    }
    text.remove_prefix(close + 1);
  }
  return result;
}

const Sentence& sentence_of(const VerdictReason& reason) {
  return sentences[static_cast<std::size_t>(reason.finding)];
}

} // namespace

std::string reason_text(const VerdictReason& reason) {
  bool is_whole = true;
  return filled_in(sentence_of(reason).text, reason, is_whole);
}

std::string reason_remedy(const VerdictReason& reason) {
  bool is_whole = true;
  return filled_in(sentence_of(reason).remedy, reason, is_whole);
}

} // namespace detshim
