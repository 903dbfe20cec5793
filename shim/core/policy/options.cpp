#include "core/policy/options.h"

#include "common/cryptography.h"
#include "common/describe.h"
#include "common/packed_options.h"
#include "common/run_agreements.h"
#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/hook_table.h"
#include "core/base/placement.h"
#include "core/base/processor.h"
#include "core/base/signal_safe_lock.h"
#include "core/policy/settings_table.h"

#include <sys/auxv.h>

extern "C" char** __environ;

namespace detshim {

DETSHIM_STARTUP_DATA constinit detail::OptionsOfProcess detail::options_of_process;

namespace {

constexpr Options& current = detail::options_of_process.values;

// The list. An entry's place in `option_info` is its place in `Which`; the same row of
// `option_readers` gives it its meaning.
enum Which {
  seed,
  mode,
  policy,
  log,
  disable,
  keep_entropy,
  names,
  leave,
  learned_seeds,
  freeze,
  autotune,
  fill,
  folders,
  workers,
  portable,
  layout,
  fingerprint,
  quiet,
  option_count
};

[[gnu::section("detshim_option_info"), gnu::used]] constinit const OptionInfo option_info[] = {
    {"DETSHIM_SEED", "a whole number from 0 to 2^64-1, decimal or hexadecimal after 0x",
     "42 under `detshim run`; else drawn when needed, and printed",
     "The one number that a run depends on. The same seed gives the same run, another seed another "
     "run."},
    {"DETSHIM_MODE", "enforce, record, observe, strict or off",
     "enforce if DETSHIM_SEED is set, else record",
     "enforce pins seeds and entropy and forces deterministic algorithms; record pins only; "
     "observe only "
     "writes the log; strict is enforce, and what has no deterministic form fails with its "
     "library's own "
     "status; off does nothing."},
    {"DETSHIM_SEED_POLICY", "fixed, keep or vary", "fixed",
     "Seeds that the program passes itself. fixed: its own values stay, clocks and ids are "
     "replaced "
     "by seeds in a row; vary: its own values are mapped by DETSHIM_SEED too, one to one, for "
     "another run with each seed; keep: all are left alone."},
    {"DETSHIM_LOG", "a folder, made when it is missing; at most 3000 bytes", "detshim-log/<run>",
     "Where the log goes. A relative name starts at the first process's working directory."},
    {"DETSHIM_DISABLE", "libraries, hooks (`detshim hooks`) and env:VARIABLE, separated by commas",
     "nothing",
     "What the library leaves alone: a library (cudnn), a hook (cudnnBackendGetAttribute) or a "
     "variable that "
     "it would set (env:CUBLAS_WORKSPACE_CONFIG)."},
    {"DETSHIM_KEEP_ENTROPY",
     "a list of beginnings of file names, or of Python modules, separated by commas", "nothing",
     "Libraries, programs and Python modules (secrets) whose entropy stays the kernel's, besides "
     "the known "
     "ones of cryptography. -NAME pins one of those, its keys too."},
    {"DETSHIM_NAMES", "random or pinned", "random",
     "Draws by which installed Python packages name things (uuid, tempfile, tokens of secrets): "
     "random "
     "leaves them to the kernel, so that two runs do not meet in one name; pinned has them follow "
     "the seed."},
    {"DETSHIM_LEAVE", "a list of variables that the library sets, separated by commas",
     "NVTE_ALLOW_NONDETERMINISTIC_ALGO; `detshim run` chooses",
     "Variables that stay as they are, which is a reason once their reader is loaded. `detshim "
     "run` "
     "takes those "
     "whose reader is installed in versions alone in which the value is not known good."},
    {"DETSHIM_LEARNED_SEEDS", "a file that detshim verify wrote",
     "detshim-evidence.json in the working directory",
     "Which call sites pass seeds that change from run to run: docs/SEEDS.md."},
    {"DETSHIM_FREEZE",
     "a list of train.py:12, libfoo.so+0x1234 and names of programs, separated by commas",
     "nothing",
     "Where readings of clocks and ids are answered by what follows from the seed (docs/SEEDS.md). "
     "An offset "
     "may be a range, +0x1200-0x1260; `detshim run --freeze` takes lines of C++ too. With @1250 "
     "in front 1250 ms pass at each reading."},
    {"DETSHIM_AUTOTUNE", "off, observe, first, record:FILE, replay:FILE or inverse",
     "first in enforce and strict, else off",
     "A program that times candidates to choose one. first: it is given one; record: it chooses, "
     "and FILE "
     "keeps what it chose; replay: it is given what FILE keeps; off, observe: left alone; inverse: "
     "first, "
     "but autotuners by events take their slowest."},
    {"DETSHIM_FILL", "off, zero or nan", "off",
     "What new device memory is filled with, where it would hold what was there before."},
    {"DETSHIM_READDIR", "off, sorted or reversed", "sorted in enforce and strict, else off",
     "In which order a folder's entries are read: off as the file system has them, which differs "
     "between "
     "machines; sorted by name; reversed to try whether a program depends on it."},
    {"DETSHIM_WORKERS", "started or reversed", "started",
     "In which order threads, and children by fork, begin: as they were started; reversed holds "
     "each back "
     "for some milliseconds, the first for longest, to try whether a program depends on it."},
    {"DETSHIM_PORTABLE", "0, 1, or avx2 on a processor with AVX2 and FMA", "0",
     "1 sets, in enforce and strict, the variables by which libraries take the same code on every "
     "processor "
     "of an architecture, and one thread; avx2 on all that have AVX2: docs/PORTABLE.md."},
    {"DETSHIM_LAYOUT", "fixed or leave", "fixed",
     "In enforce and strict, the first process of a run executes its program once more, with "
     "addresses that are the same in every run, where the kernel allows that; leave does not."},
    {"DETSHIM_FINGERPRINT", "off, host or calls", "off",
     "Writes hashes into the log. host: of what leaves the program, by copies from a GPU, printed, "
     "written "
     "or sent, with the kernels launched and what was drawn before. calls: also of what library "
     "calls take "
     "and leave on a GPU, hashed there."},
    {"DETSHIM_QUIET", "0 or 1", "0",
     "1 leaves out the lines on stderr: the drawn seed and the closing line."},
};

/// Copies of the values, which the program may change in its environment.
struct OptionTexts {
  char log[3001];
  char disable[3001];
  char keep_entropy[3001];
  char leave[1024];
  char learned_seeds[4096];
  char freeze[8192];
  char tuning_file[3008];
  char packed[8192 + 64]; ///< the longest option, with its name
  char refused[128];      ///< the item of a list that is not accepted
};
constinit OptionTexts texts = {};

constexpr const char* autotune_names[] = {"off", "first", "", "", "inverse"}; // two with a file
constexpr const char* fill_names[] = {"off", "zero", "nan"};
constexpr const char* name_choices[] = {"random", "pinned"};
constexpr const char* worker_names[] = {"started", "reversed"};
constexpr const char* portable_levels[] = {"0", "1", "avx2"};
constexpr const char* folder_names[] = {"off", "sorted", "reversed"};
constexpr const char* switch_names[] = {"0", "1"};
constexpr const char* fingerprint_names[] = {"off", "host", "calls"};

void add_quoted(Text<1024>& line, const char* value) {
  line.add('"');
  for (int i = 0; value[i] != 0 && i < 120; ++i)
    line.add(value[i] >= ' ' && value[i] < 127 ? value[i] : '?');
  line.add('"');
}

[[noreturn]] void stop(const char* name, const char* value, const char* accepted) {
  Text<1024> line;
  line.add("detshim: ").add(name).add('=');
  add_quoted(line, value);
  line.add(" is not accepted");
  if (texts.refused[0] != 0 && !same_text(texts.refused, value)) {
    line.add(" at ");
    add_quoted(line, texts.refused);
  }
  line.add(": ").add(accepted).add('\n');
  sys::write(2, line.c_str(), line.length());
  sys::exit_group(2);
}

[[noreturn]] void stop_unknown(const char* name, const char* value) {
  Text<400> accepted;
  accepted.add("there is no such option; the options are");
  for (const OptionInfo& info : option_info)
    accepted.add(&info == option_info ? " " : ", ").add(info.name);
  stop(name, value, accepted.c_str());
}

/// Sets what the names mean, in their order; false for another name.
template <size_t Count, typename To>
bool choose(const char* value, const char* const (&names)[Count], To& to) {
  for (size_t i = 0; i < Count; ++i)
    if (same_text(value, names[i])) {
      to = static_cast<To>(i);
      return true;
    }
  return false;
}

/// Copies the value and points `option` to it; false where it is too long.
template <size_t Size>
bool keep(const char* value, char (&to)[Size], const char*& option) {
  const size_t length = text_length(value);
  if (length >= Size)
    return false;
  __builtin_memcpy(to, value, length + 1);
  option = to;
  return true;
}

/// Calls `visit` with each item of a list separated by commas; false as soon as `visit` is.
template <typename Visit>
bool each_item(const char* list, Visit visit) {
  while (*list != 0) {
    Text<128> item;
    for (; *list != 0 && *list != ','; ++list)
      if (*list != ' ')
        item.add(*list);
    if (*list == ',')
      ++list;
    if (item.cut() || (item.length() != 0 && !visit(item.c_str())))
      return false;
  }
  return true;
}

/// As each_item(); keeps the first item that is not accepted, for stop().
bool accepts_each(const char* list, bool (*accepts)(const char* item)) {
  return each_item(list, [accepts](const char* item) {
    if (accepts(item))
      return true;
    TextWriter(texts.refused, sizeof texts.refused).add(item).c_str();
    return false;
  });
}

bool disable_one(const char* item) {
  if (starts_with(item, "env:"))
    return setting_is_known(item + 4);
  bool known = false;
  for (Hook& hook : HookTable{}) {
    if (!same_text(item, hook.info().library) && !same_text(item, hook.info().name))
      continue;
    hook.disabled = true;
    known = true;
  }
  return known;
}

bool read_autotune(const char* value) {
  const bool replays = starts_with(value, "replay:");
  if (!replays && !starts_with(value, "record:"))
    return choose(same_text(value, "observe") ? "off" : value, autotune_names, current.autotune) &&
           *value != 0;
  current.autotune = replays ? Autotune::replay : Autotune::record;
  const char* file = value + sizeof "record:" - 1;
  return *file != 0 && keep(file, texts.tuning_file, current.tuning_file);
}

/// True for a list of names: a path would silently match nothing.
bool has_no_path(const char* list) {
  return accepts_each(list, [](const char* item) {
    return !contains(item, "/");
  });
}

bool read_fingerprint(const char* value) {
  uint64_t number = 0;
  if (!choose(value, fingerprint_names, number))
    return false;
  current.fingerprint = number > 0;
  current.fingerprint_calls = number > 1;
  return true;
}

bool is_readable(const char* file) {
  const int fd = sys::openat(AT_FDCWD, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return fd >= 0 && sys::close(fd) == 0;
}

struct OptionReader {
  Which which;
  bool (*read)(const char* value); ///< false where the value is not accepted
};

constexpr OptionReader option_readers[] = {
    {seed,
     [](const char* value) {
       return current.has_seed = parse_seed(value, current.seed);
     }},
    {mode,
     [](const char* value) {
       return choose(value, mode_names, current.mode);
     }},
    {policy,
     [](const char* value) {
       return choose(value, policy_names, current.policy);
     }},
    {log,
     [](const char* value) {
       return *value != 0 && keep(value, texts.log, current.log);
     }},
    {disable,
     [](const char* value) {
       return keep(value, texts.disable, current.disable) && accepts_each(value, disable_one);
     }},
    {keep_entropy,
     [](const char* value) {
       return keep(value, texts.keep_entropy, current.keep_entropy) && has_no_path(value);
     }},
    {names,
     [](const char* value) {
       return choose(value, name_choices, current.names);
     }},
    {leave,
     [](const char* value) {
       return keep(value, texts.leave, current.leave) && accepts_each(value, setting_is_known);
     }},
    {learned_seeds,
     [](const char* value) {
       return is_readable(value) && keep(value, texts.learned_seeds, current.learned_seeds);
     }},
    {freeze,
     [](const char* value) {
       return keep(value, texts.freeze, current.freeze);
     }},
    {autotune, read_autotune},
    {fill,
     [](const char* value) {
       return choose(value, fill_names, current.fill);
     }},
    {folders,
     [](const char* value) {
       return choose(value, folder_names, current.folders);
     }},
    {workers,
     [](const char* value) {
       return choose(value, worker_names, current.workers);
     }},
    {portable,
     [](const char* value) {
       return choose(value, portable_levels, current.portable) &&
              (current.portable != PortableLevel::avx2 || processor_has_avx2());
     }},
    {layout,
     [](const char* value) { // read by shim/fixed_layout.cpp, long before this
       Layout layout;
       return choose(value, layout_names, layout);
     }},
    {fingerprint, read_fingerprint},
    {quiet,
     [](const char* value) {
       return choose(value, switch_names, current.quiet);
     }},
};

constexpr bool has_a_row_for_each_option() {
  if (sizeof option_info / sizeof *option_info != option_count ||
      sizeof option_readers / sizeof *option_readers != option_count)
    return false;
  for (int i = 0; i < option_count; ++i)
    if (option_readers[i].which != i)
      return false;
  return true;
}
static_assert(has_a_row_for_each_option());

/// Of an entry NAME=value that is not the internal variable.
void read_entry(const char* entry, bool (&is_set)[option_count]) {
  Text<64> name;
  const char* value = entry;
  for (; *value != 0 && *value != '='; ++value)
    name.add(*value);
  if (*value == '=')
    ++value;
  if (same_text(name.c_str(), run_variable_name))
    return;
  int which = -1;
  for (const OptionInfo& info : option_info)
    if (!name.cut() && same_text(name.c_str(), info.name))
      which = static_cast<int>(&info - option_info);
  if (which < 0)
    stop_unknown(name.c_str(), value);
  if (!option_readers[which].read(value))
    stop(name.c_str(), value, option_info[which].accepted);
  is_set[which] = true;
}

/// Those that `detshim run` has packed, but for what stands in the environment beside them.
void read_packed(bool (&is_set)[option_count]) {
  const char* const packed = environment_value(packed_options_name);
  if (packed == nullptr)
    return;
  each_packed_option(packed, [&](const char* text, size_t length) {
    TextWriter entry(texts.packed, sizeof texts.packed);
    entry.add(text, length).c_str();
    Text<64> name;
    for (const char* c = texts.packed; *c != 0 && *c != '='; ++c)
      name.add(*c);
    if (environment_value(name.c_str()) == nullptr)
      read_entry(texts.packed, is_set);
  });
}

/// What a process of the run handed on, where the environment does not say otherwise.
void take_over(const RunVariable& run, const bool (&is_set)[option_count]) {
  current.is_of_secret_script = run.is_of_secret_script;
  if (!is_set[mode] && !current.has_seed)
    current.mode = run.mode;
  if (!is_set[policy])
    current.policy = run.policy;
  if (!current.has_seed && run.has_seed) {
    current.has_seed = true;
    current.seed_drawn = run.seed_drawn;
    current.seed = run.seed;
  }
}

void read_environment() {
  bool is_set[option_count] = {};
  read_packed(is_set);
  for (char** entry = __environ; entry != nullptr && *entry != nullptr; ++entry)
    if (starts_with(*entry, "DETSHIM_"))
      read_entry(*entry, is_set);
  if (!is_set[mode])
    current.mode = current.has_seed ? Mode::enforce : Mode::record;
  RunVariable run;
  if (read_run_variable(run))
    take_over(run, is_set);
  if (!is_set[autotune])
    current.autotune = current.forces() ? Autotune::first : Autotune::off;
  if (!is_set[folders])
    current.folders = current.forces() ? FolderOrder::sorted : FolderOrder::off;
}

} // namespace

const Options& detail::read_options() {
  // A signal handler that interrupted the reader gets Mode::off or the mode that is already known.
  const SpinGuard guard(options_of_process.reading);
  if (guard.held() && !options_of_process.are_read) {
    read_environment();
    __atomic_store_n(&options_of_process.are_read, true, __ATOMIC_RELEASE);
  }
  return current;
}

bool setting_is_disabled(const char* name) {
  return !each_item(options().disable, [name](const char* item) {
    return !(starts_with(item, "env:") && same_text(item + 4, name));
  });
}

bool setting_is_left(const char* name) {
  return !each_item(options().leave, [name](const char* item) {
    return !same_text(item, name);
  });
}

bool keeps_entropy(const char* file_name) {
  return !each_item(options().keep_entropy, [file_name](const char* item) {
    return !starts_with(file_name, item);
  });
}

bool gives_up_entropy(const char* file_name) {
  return !each_item(options().keep_entropy, [file_name](const char* item) {
    return !(item[0] == '-' && starts_with(file_name, item + 1));
  });
}

namespace {

enum Secrets : uint8_t { unknown, none, own, of_script };
constinit Secrets known_secrets = Secrets::unknown;

bool is_of_secrets(const char* path) {
  const char* const name = file_name(path);
  return is_secret_program(name) && !gives_up_entropy(name);
}

Secrets find_secrets() {
  // Behind links: of busybox the link's name tells, of a user's own link the file's.
  char file[1024] = {};
  sys::readlink("/proc/self/exe", file, sizeof file);
  if (is_of_secrets(file))
    return Secrets::own;
  const auto* const path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (options().is_of_secret_script || (path != nullptr && is_of_secrets(path)))
    return Secrets::of_script;
  return Secrets::none;
}

Secrets secrets() {
  if (__atomic_load_n(&known_secrets, __ATOMIC_RELAXED) == Secrets::unknown)
    __atomic_store_n(&known_secrets, find_secrets(), __ATOMIC_RELAXED);
  return known_secrets;
}

} // namespace

bool makes_secrets() { return secrets() != Secrets::none; }

bool is_secret_script() { return secrets() == Secrets::of_script; }

namespace {

/// What the digit is worth in hexadecimal; 16 for another character.
unsigned digit_value(char c) {
  constexpr struct {
    char first, last;
    unsigned value; ///< of the first
  } digits[] = {{'0', '9', 0}, {'a', 'f', 10}, {'A', 'F', 10}};
  for (const auto& range : digits)
    if (c >= range.first && c <= range.last)
      return static_cast<unsigned>(c - range.first) + range.value;
  return 16;
}

} // namespace

bool parse_seed(const char* text, uint64_t& seed) {
  const bool is_hexadecimal = starts_with(text, "0x") || starts_with(text, "0X");
  const unsigned base = is_hexadecimal ? 16 : 10;
  if (is_hexadecimal)
    text += 2;
  if (*text == 0)
    return false;
  uint64_t number = 0;
  for (; *text != 0; ++text) {
    const unsigned digit = digit_value(*text);
    if (digit >= base || __builtin_mul_overflow(number, uint64_t{base}, &number) ||
        __builtin_add_overflow(number, uint64_t{digit}, &number))
      return false;
  }
  seed = number;
  return true;
}

} // namespace detshim
