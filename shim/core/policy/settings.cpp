#include "core/policy/settings.h"

#include "common/describe.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/modules.h"
#include "core/base/placement.h"
#include "core/log/log.h"
#include "core/log/log_file.h"
#include "core/policy/options.h"
#include "core/policy/xla_flags.h"

#include <cstdlib>

extern "C" char** environ;

namespace detshim {
namespace {

// What is set comes first, then PYTHONHASHSEED, then what is only written down.
[[gnu::section("detshim_setting_info"), gnu::used]] constexpr SettingInfo settings[] = {
    // Both values bound the workspaces of a handle so that several streams cannot share one.
    {"CUBLAS_WORKSPACE_CONFIG", ":4096:8", ":4096:8|:16:8", Treatment::force, false, false, "cuBLAS; PyTorch",
     "once, at the first cublasCreate; PyTorch at each new workspace",
     "cuBLAS documentation, Results Reproducibility; measured on 13.1"},
    // Rings add in the order of the ranks. The algorithms that may stay are those that Megatron accepts for
    // repeatable runs; trees, whose shape follows the topology, are not among them.
    {"NCCL_ALGO", "Ring", "Ring|CollnetDirect|CollnetChain|^NVLS|^NVLS,NVLSTree", Treatment::force, false,
     true, "NCCL", "as each communicator is made", "NCCL's tuning.cc; Megatron-LM's determinism.py"},
    {"NCCL_PROTO", "Simple", "Simple|LL|LL128", Treatment::force, false, true, "NCCL",
     "as each communicator is made", "NCCL documentation, Environment Variables"},
    {"NCCL_NVLS_ENABLE", "0", "0", Treatment::force, false, false, "NCCL", "as each communicator is made",
     "NCCL documentation, Environment Variables"},
    // 1 stays: a ring has no use for it, and the user's own CollnetDirect needs it.
    {"NCCL_COLLNET_ENABLE", "0", "0|1", Treatment::force, false, false, "NCCL",
     "as each communicator is made", "NCCL documentation, Environment Variables"},
    // Kernels for registered windows ignore NCCL_ALGO.
    {"NCCL_WIN_ENABLE", "0", "0", Treatment::force, false, false, "NCCL", "as each communicator is made",
     "NCCL's init.cc, enqueue.cc"},
    {"KMP_DETERMINISTIC_REDUCTION", "TRUE", "TRUE|true|1|yes|on", Treatment::force, false, false,
     "OpenMP of LLVM and Intel", "at the first region", "LLVM's openmp/runtime/src/kmp_settings.cpp"},
    // True makes the number of threads follow the machine's load.
    {"OMP_DYNAMIC", "FALSE", "FALSE|0", Treatment::force, false, true, "every OpenMP",
     "libgomp as it is loaded, the others at the first region", "OpenMP specification, OMP_DYNAMIC"},
    {"MKL_DYNAMIC", "FALSE", "FALSE", Treatment::force, false, true, "MKL",
     "at the first call that has threads", "oneMKL Developer Guide, MKL_DYNAMIC; measured on 2026.2"},
    // AUTO goes by the processor and keeps to one path through the code: the same bits on the same processor
    // with the same number of threads. COMPATIBLE would hold across processors, and is many times slower.
    {"MKL_CBWR", "AUTO", "AUTO*|COMPATIBLE*|SSE*|SSSE3*|AVX*|BRANCH=A*|BRANCH=C*|BRANCH=S*", Treatment::force,
     false, true, "MKL", "at the first call",
     "oneMKL Developer Guide, Conditional Numerical Reproducibility; measured"},
    // With it TensorFlow refuses random ops in a program that sets no seed, which is what enforce is for.
    {"TF_DETERMINISTIC_OPS", "1", "1|true", Treatment::strict, false, true, "TensorFlow",
     "once, at the first op that asks", "tsl/util/determinism.cc"},
    {"TF_CUDNN_DETERMINISTIC", "1", "1|true", Treatment::force, false, true, "TensorFlow, XLA",
     "once, at the first convolution", "stream_executor/cuda/cuda_dnn.cc"},
    {"TF_CUDNN_USE_AUTOTUNE", "0", "0|false", Treatment::force, false, true, "TensorFlow",
     "at each new shape of a convolution", "tensorflow/core/util/use_cudnn.cc"},
    {"TF_CUDNN_USE_FRONTEND", "1", "1|true", Treatment::force, false, true, "TensorFlow",
     "at each new shape of a convolution", "tensorflow/core/util/use_cudnn.cc; TensorFlow issue 53771"},
    {"TF_ENABLE_ONEDNN_OPTS", "0", "0|false", Treatment::force, false, true, "TensorFlow",
     "as it is imported", "TensorFlow's own notice as it is imported"},
    {"XLA_FLAGS", "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0",
     "values in which both flags come last of their name", Treatment::append, false, false,
     "XLA: JAX, TensorFlow", "once, at the first use of XLA", "xla/parse_flags_from_env.cc"},
    // Only 1 turns tuning on, so there is nothing to set where the user set nothing.
    {"PYTORCH_TUNABLEOP_ENABLED", "0", "0", Treatment::force, true, false, "PyTorch",
     "at each matrix product", "PyTorch documentation, TunableOp"},
    {"TORCHINDUCTOR_DETERMINISTIC", "1", "1", Treatment::force, false, false, "PyTorch's Inductor",
     "as torch._inductor is imported", "torch/_inductor/config.py"},
    {"NVTE_ALLOW_NONDETERMINISTIC_ALGO", "0", "0", Treatment::force, false, false, "Transformer Engine",
     "at each attention", "Transformer Engine's documentation, Environment Variables"},
    {"NVTE_DISABLE_TRITON_AUTOTUNING", "1", "1", Treatment::force, false, false, "Transformer Engine",
     "as its Triton kernels are imported", "Transformer Engine's triton kernels"},
    {"TRITON_CACHE_AUTOTUNING", "1", "1|true|yes|on|y", Treatment::force, false, true, "Triton 3.4 and later",
     "as a kernel is decorated", "triton/knobs.py, triton/runtime/autotuner.py"},
    {"FLASH_ATTENTION_DETERMINISTIC", "1", "1", Treatment::force, false, false,
     "transformers and others that call flash-attn", "as they are imported, or at each attention",
     "transformers/modeling_flash_attention_utils.py"},
    {"MAMBA_DETERMINISTIC", "1", "1", Treatment::force, false, false, "mamba-ssm",
     "as its kernels are imported", "mamba_ssm/utils/determinism.py"},
    {"CAUSAL_CONV1D_DETERMINISTIC", "1", "1", Treatment::force, false, false, "causal-conv1d 1.6 and later",
     "at each backward pass", "causal-conv1d's csrc"},

    {"PYTHONHASHSEED", "a number from the seed", "anything", Treatment::seed, true, false, "Python",
     "as it starts", "Python documentation, Command line and environment"},

    // The number of threads decides in which order parallel sums are added. Which is right is the user's:
    // to set one could slow a program down many times. (`detshim run` sets OMP_NUM_THREADS.)
    {"OMP_NUM_THREADS", "", "", Treatment::note, true, false, "every OpenMP; OpenBLAS, MKL, PyTorch",
     "as they are loaded, or at the first region", "OpenMP specification, OMP_NUM_THREADS"},
    {"OPENBLAS_NUM_THREADS", "", "", Treatment::note, true, false, "OpenBLAS", "as it is loaded",
     "OpenBLAS's README"},
    {"MKL_NUM_THREADS", "", "", Treatment::note, true, false, "MKL", "at the first call that has threads",
     "oneMKL Developer Guide"},
    // Its own seed is the one number for every rank, worker and device; without it CuPy takes os.urandom,
    // which is pinned, for each its own.
    {"CUPY_SEED", "", "", Treatment::note, true, false, "CuPy", "at the first draw on each device",
     "cupy/random/_generator.py"},
    // 1 gives convolutions back to the legacy API, where benchmarks are filtered too.
    {"TORCH_CUDNN_V8_API_DISABLED", "", "", Treatment::note, true, false, "PyTorch", "at each convolution",
     "PyTorch's Conv_v8.cpp"},
    // A plan that a small cache drops is chosen anew.
    {"TORCH_CUDNN_V8_API_LRU_CACHE_LIMIT", "", "", Treatment::note, true, false, "PyTorch",
     "at the first convolution", "PyTorch's Conv_v8.cpp"},
    {"CUDNN_SKIPHEUR_DBG", "", "", Treatment::note, true, false, "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_PREFER_SM_COUNT_DBG", "", "", Treatment::note, true, false, "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_RNN_WS_SIZE_DBG", "", "", Treatment::note, true, false, "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_CONV_WSCAP_DBG", "", "", Treatment::note, true, false, "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_FORCE_JIT_DBG", "", "", Treatment::note, true, false, "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_STRICT_DBG", "", "", Treatment::note, true, false, "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_LIB_CONFIG", "", "", Treatment::note, true, false, "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
};
constexpr size_t setting_count = sizeof settings / sizeof settings[0];

constexpr bool is_forced(const SettingInfo& setting) {
  return setting.treatment != Treatment::seed && setting.treatment != Treatment::note;
}

constexpr size_t forced_count = [] {
  size_t count = 0;
  while (is_forced(settings[count])) ++count;
  return count;
}();
constexpr size_t first_noted = forced_count + 1;
static_assert(settings[forced_count].treatment == Treatment::seed && setting_count < 64);
// Once more, because a mode that sets nothing else should not have to fetch the table's page for it.
constexpr const char* python_hash_seed = "PYTHONHASHSEED";

/// NAME=value, as it stands in an environment. Made by the compiler, so that a start copies none of them;
/// writable, because a program may cut a value up in place.
struct Entry {
  char text[80];
};
struct Entries {
  Entry of[forced_count];
  unsigned char value_at[forced_count];
};
constinit Entries entries = [] {
  Entries made = {};
  for (size_t i = 0; i < forced_count; ++i) {
    char* to = made.of[i].text;
    for (const char* c = settings[i].name; *c != 0; ++c) *to++ = *c;
    *to++ = '=';
    made.value_at[i] = static_cast<unsigned char>(to - made.of[i].text);
    for (const char* c = settings[i].value; *c != 0; ++c) *to++ = *c;
  }
  return made;
}();

DETSHIM_STARTUP_DATA constinit char python_entry[32] = {};
DETSHIM_STARTUP_DATA constinit SettingChange changes[forced_count + 1] = {};
DETSHIM_STARTUP_DATA constinit int change_count = 0;
constinit char was_room[2048] = {}; // the user's values that had to give way
constinit size_t was_used = 0;
DETSHIM_STARTUP_DATA constinit const char* left_alone = nullptr;

// What the environment held when it was last looked at: a bit, and an entry, for each that is forced.
DETSHIM_STARTUP_DATA constinit char* held[forced_count] = {};
DETSHIM_STARTUP_DATA constinit uint32_t place[forced_count] = {}; // where in environ, at the start
DETSHIM_STARTUP_DATA constinit uint64_t watched = 0;
DETSHIM_STARTUP_DATA constinit char** held_array = nullptr;
DETSHIM_STARTUP_DATA constinit uint64_t undone = 0;
DETSHIM_STARTUP_DATA constinit uint64_t moved = 0; // held[i] is not what it was at the start

constexpr uint64_t bit(size_t i) { return uint64_t{1} << i; }

/// The settings whose names begin with a letter: most of an environment is told apart by that alone.
struct ByLetter {
  uint64_t of[32];
  constexpr uint64_t operator[](char c) const { return c >= 'A' && c <= 'Z' ? of[c - 'A'] : 0; }
};
constexpr ByLetter forced_by_letter = [] {
  ByLetter made = {};
  for (size_t i = 0; i < forced_count; ++i) made.of[settings[i].name[0] - 'A'] |= bit(i);
  return made;
}();

/// Calls visit(i) for each bit that is set.
template <typename Visit>
void each_bit(uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<size_t>(__builtin_ctzll(bits)));
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// True if the value is one of those parted by |.
bool is_one_of(const char* value, const char* list, bool any_case) {
  while (*list != 0) {
    const char* v = value;
    for (; *list != '|' && *list != '*' && *list != 0; ++list) {
      if (v == nullptr) continue;
      const bool same = any_case ? small(*v) == small(*list) : *v == *list;
      v = same && *v != 0 ? v + 1 : nullptr;
    }
    if (v != nullptr && (*v == 0 || *list == '*')) return true;
    while (*list == '|' || *list == '*') ++list;
  }
  return false;
}

/// `value` is nullptr where the variable is unset.
bool is_good(const SettingInfo& setting, const char* value) {
  if (value == nullptr) return setting.good_unset;
  if (same_text(value, setting.value)) return true;
  bool lacks_ops, lacks_level;
  if (setting.treatment == Treatment::append)
    return read_xla_flags(value, lacks_ops, lacks_level) == XlaFlags::repeatable;
  return is_one_of(value, setting.good, setting.any_case);
}

/// What follows the name in an entry of that name, or nullptr.
const char* value_in(const char* entry, const char* name) {
  while (*name != 0)
    if (*entry++ != *name++) return nullptr;
  return *entry == '=' ? entry + 1 : nullptr;
}

/// A copy that outlives what the program does with the original; cut if it is long.
const char* keep(const char* text) {
  if (text == nullptr) return nullptr;
  TextWriter to(was_room + was_used, sizeof was_room - was_used);
  for (int i = 0; i < 200 && text[i] != 0; ++i) to.add(text[i]);
  const char* kept = to.c_str();
  was_used += to.length() + (was_used + to.length() + 1 < sizeof was_room ? 1 : 0);
  return kept;
}

/// The user's flags and what they lack, or nullptr where nothing can be added.
char* extended_flags(const SettingInfo& setting, const char* value) {
  bool lacks_ops, lacks_level;
  if (read_xla_flags(value, lacks_ops, lacks_level) != XlaFlags::extendable) return nullptr;
  const size_t size = text_length(value) + sizeof setting.name + sizeof setting.value;
  auto* room = static_cast<char*>(sys::map(size));
  if (room == nullptr) return nullptr;
  TextWriter entry(room, size);
  entry.add(setting.name).add('=').add(value);
  if (lacks_ops) entry.add(' ').add(xla_flag_ops);
  if (lacks_level) entry.add(' ').add(xla_flag_level);
  entry.c_str();
  return room;
}

/// What is to stand for a variable that is not repeatable, or nullptr.
char* entry_for(size_t i, const char* value) {
  if (settings[i].treatment == Treatment::append && value != nullptr && *value != 0)
    return extended_flags(settings[i], value);
  return entries.of[i].text;
}

size_t find_forced(const char* name, size_t length) {
  for (size_t i = 0; i < forced_count; ++i) {
    size_t same = 0;
    while (same < length && settings[i].name[same] == name[same] && name[same] != 0) ++same;
    if (same == length && settings[i].name[same] == 0) return i;
  }
  return forced_count;
}

} // namespace

bool setting_is_known(const char* name) {
  return same_text(name, python_hash_seed) || find_forced(name, text_length(name)) < forced_count;
}

bool setting_is_good(const char* name, const char* value) {
  const size_t i = find_forced(name, text_length(name));
  return i < forced_count && is_good(settings[i], value);
}

void apply_settings() {
  held_array = environ;
  if (!options().forces()) return;
  size_t count = 0;
  for (; environ != nullptr && environ[count] != nullptr; ++count)
    each_bit(forced_by_letter[*environ[count]], [&](size_t i) {
      if (held[i] != nullptr || value_in(environ[count], settings[i].name) == nullptr) return;
      held[i] = environ[count];
      place[i] = static_cast<uint32_t>(count);
    });

  char* added[forced_count];
  size_t added_count = 0;
  for (size_t i = 0; i < forced_count; ++i) {
    const SettingInfo& setting = settings[i];
    if (setting_is_disabled(setting.name)) continue;
    if (setting.treatment == Treatment::strict && !options().strict()) continue;
    watched |= bit(i);
    const char* value = held[i] != nullptr ? held[i] + entries.value_at[i] : nullptr;
    if (is_good(setting, value)) continue;
    char* entry = entry_for(i, value);
    if (entry == nullptr) {
      left_alone = setting.name;
      undone |= bit(i);
      continue;
    }
    changes[change_count++] = {setting.name, keep(value), entry + entries.value_at[i]};
    if (held[i] != nullptr) {
      environ[place[i]] = entry;
    } else {
      place[i] = static_cast<uint32_t>(count + added_count);
      added[added_count++] = entry;
    }
    held[i] = entry;
  }
  add_to_environment(added, added_count);
  held_array = environ;
}

void set_python_hash_seed(uint64_t seed) {
  if (getenv(python_hash_seed) != nullptr || setting_is_disabled(python_hash_seed)) return;
  TextWriter(python_entry, sizeof python_entry)
      .add(python_hash_seed)
      .add('=')
      .add(seed & 0xffffffff) // Python takes 0 to 2^32-1
      .c_str();
  changes[change_count++] = {python_hash_seed, nullptr, value_in(python_entry, python_hash_seed)};
  put_in_environment(python_entry);
  held_array = environ;
}

const SettingChange* reapply_setting(const char* name) {
  const size_t i = find_forced(name, text_length(name));
  if (i == forced_count || (watched & bit(i)) == 0) return nullptr;
  const char* value = getenv(name);
  if (is_good(settings[i], value)) return nullptr;
  static constinit char was[128] = {};
  static constinit SettingChange latest = {};
  TextWriter copy(was, sizeof was);
  latest = {settings[i].name, value != nullptr ? copy.add(value).c_str() : nullptr, settings[i].value};
  __atomic_and_fetch(&undone, ~bit(i), __ATOMIC_RELAXED); // the call below is ours, and no news
  return setenv(name, settings[i].value, 1) == 0 ? &latest : nullptr;
}

const SettingChange* setting_changes(int& count) {
  count = change_count;
  return changes;
}

const char* setting_left_alone() { return left_alone; }

// ------------------------------------------------------------------ what the program does to them

Undoing look_at_setting(const char* name, size_t length, const char*& setting, const char*& value) {
  held_array = environ;
  const size_t i = find_forced(name, length);
  if (i == forced_count || (watched & bit(i)) == 0) return Undoing::nothing;
  setting = settings[i].name;
  value = getenv(setting);
  held[i] = value != nullptr ? const_cast<char*>(value) - length - 1 : nullptr;
  __atomic_or_fetch(&moved, bit(i), __ATOMIC_RELAXED);
  if (!is_good(settings[i], value)) {
    __atomic_or_fetch(&undone, bit(i), __ATOMIC_RELAXED);
    return Undoing::undone;
  }
  const uint64_t before = __atomic_fetch_and(&undone, ~bit(i), __ATOMIC_RELAXED);
  return (before & bit(i)) != 0 ? Undoing::restored : Undoing::nothing;
}

bool look_at_emptied_environment() {
  held_array = environ;
  uint64_t bad = 0;
  for (size_t i = 0; i < forced_count; ++i) {
    held[i] = nullptr;
    if ((watched & bit(i)) != 0 && !settings[i].good_unset) bad |= bit(i);
  }
  __atomic_or_fetch(&moved, watched, __ATOMIC_RELAXED);
  return (bad & ~__atomic_fetch_or(&undone, bad, __ATOMIC_RELAXED)) != 0;
}

namespace {

/// Reads memory that the program may have given back by now; the number of bytes, or an error.
long peek(const void* from, void* to, size_t size) {
  const struct {
    const void* base;
    size_t size;
  } local = {to, size}, remote = {from, size};
  return sys::call(SYS_process_vm_readv, sys::getpid(), sys::address(&local), 1, sys::address(&remote), 1, 0);
}

/// True if the program has an array of its own for an environment: for those that it starts, as shells do.
bool environment_is_foreign() { return environ != held_array && environ != nullptr; }

/// Which entries are no longer in the environment, or hold something else. Of entries that the program put
/// there since, only the address is looked at: they may be gone.
uint64_t missing_entries() {
  if (environ == nullptr || environment_is_foreign()) return watched & ~undone;
  uint64_t looked_for = 0;
  size_t count = 0;
  while (environ[count] != nullptr) ++count;
  each_bit(watched & ~undone, [&](size_t i) {
    if (held[i] == nullptr ? !settings[i].good_unset : place[i] >= count || environ[place[i]] != held[i])
      looked_for |= bit(i);
  });
  for (size_t k = 0; k < count && looked_for != 0; ++k) // places move; to read by name costs system calls
    each_bit(looked_for, [&](size_t i) {
      if (environ[k] == held[i]) looked_for &= ~bit(i);
    });
  each_bit(watched & ~undone & ~moved & ~looked_for, [&](size_t i) {
    if (held[i] != nullptr && !is_good(settings[i], held[i] + entries.value_at[i])) looked_for |= bit(i);
  });
  return looked_for;
}

/// What the environment holds now for the settings in `wanted`, read by peek: calls visit(i, value), with
/// value nullptr for one that is unset, and not at all where the environment cannot be read to its end.
template <typename Visit>
void find_again(uint64_t wanted, Visit visit) {
  constexpr size_t longest = 1 << 16;
  auto* room = static_cast<char*>(sys::map(longest)); // pages that are not written cost nothing
  if (room == nullptr) return;
  char* block[64];
  constexpr long pointer = sizeof(char*);
  bool is_whole = environ == nullptr;
  for (char** at = environ; !is_whole && wanted != 0;) {
    const long count = peek(at, block, sizeof block) / pointer;
    if (count <= 0) break;
    long used = 0;
    for (; used < count && block[used] != nullptr; ++used) {
      const long size = peek(block[used], room, sizeof settings->name + 1);
      if (size <= 0) continue;
      room[size] = 0;
      for (size_t i = 0; i < setting_count; ++i) {
        if ((wanted & bit(i)) == 0 || value_in(room, settings[i].name) == nullptr) continue;
        const long whole = peek(block[used], room, longest - 1);
        room[whole > 0 ? whole : 0] = 0;
        wanted &= ~bit(i);
        if (const char* value = value_in(room, settings[i].name)) visit(i, value);
        break;
      }
    }
    is_whole = used < count;
    at += count;
  }
  sys::unmap(room, longest);
  if (!is_whole) return;
  for (size_t i = 0; i < setting_count; ++i)
    if ((wanted & bit(i)) != 0) visit(i, nullptr);
}

} // namespace

void each_noted_setting(void (*visit)(const char* name, const char* value, void* data), void* data) {
  const auto visit_set = [=](size_t i, const char* value) {
    if (value != nullptr) visit(settings[i].name, value, data);
  };
  constexpr uint64_t noted = (bit(setting_count) - 1) & ~(bit(first_noted) - 1);
  if (environ != held_array) return find_again(noted, visit_set);
  for (size_t i = first_noted; i < setting_count; ++i) visit_set(i, getenv(settings[i].name));
}

namespace {

/// TensorFlow in a process where the mode does not force TF_DETERMINISTIC_OPS, and nobody else has set it.
/// Only where there is a log, which Python has in its first breath: most processes end without the loader's
/// lock.
void record_unforced_reader() {
  constexpr const char* name = "TF_DETERMINISTIC_OPS";
  if (!log_file::has_begun() || options().strict() || setting_is_disabled(name)) return;
  bool is_loaded = false;
  {
    const sys::SignalsBlocked no_signals; // a handler that left by longjmp would leave the loader locked
    each_module([&](const Module& module) {
      return is_loaded = starts_with(file_name(module.path), "libtensorflow_framework.so");
    });
  }
  if (!is_loaded || environ != held_array) return;
  const char* value = getenv(name);
  if (value != nullptr && setting_is_good(name, value)) return;
  static constexpr char fields[4][20] = {"asked", "given"};
  if (value == nullptr) value = "";
  record(
      {"env", name, fields}, Action::unfixed, nullptr,
      "TensorFlow's own kernels may add in any order; 1 makes them repeatable, in a program that sets a seed "
      "(tf.random.set_seed)",
      {value, value});
}

} // namespace

void record_silent_undoings() {
  if (watched == 0) return;
  record_unforced_reader();
  const uint64_t missing = missing_entries();
  if (missing == 0) return;
  uint64_t unset = 0;
  find_again(missing, [&](size_t i, const char* value) {
    if (value == nullptr) unset |= bit(i);
  });
  // Emptied as a whole, by a program that clears up behind itself or before it starts others.
  if (unset == missing && missing == watched && environment_is_foreign()) return;
  const Action action = environment_is_foreign() ? Action::observe : Action::unfixed;
  find_again(missing, [&](size_t i, const char* value) {
    static constexpr char fields[4][20] = {"asked", "given"};
    if (is_good(settings[i], value)) return;
    undone |= bit(i);
    const char* const now = value != nullptr ? value : "";
    record({"env", settings[i].name, fields}, action, nullptr,
           action == Action::observe ? "the program has an environment of its own, for those that it starts"
           : value != nullptr        ? "the program wrote another value into its environment, without a call"
                                     : "the program took it out of its environment, without a call",
           {now, now});
  });
}

} // namespace detshim
