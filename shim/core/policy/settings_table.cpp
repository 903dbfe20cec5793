#include "core/policy/settings_table.h"

#include "common/text.h"
#include "core/policy/nccl_algorithms.h"
#include "core/policy/portable_names.h"
#include "core/policy/xla_flags.h"

namespace detshim {
namespace settings_table {

// What is set comes first, then PYTHONHASHSEED, then what is answered, then what is only written down.
[[gnu::section("detshim_setting_info"), gnu::used]] constexpr SettingInfo settings[setting_count] = {
    // Both values bound the workspaces of a handle so that several streams cannot share one.
    {"CUBLAS_WORKSPACE_CONFIG", ":4096:8", ":4096:8|:16:8", Treatment::force, false, false, "cuBLAS; PyTorch",
     "once, at the first cublasCreate; PyTorch at each new workspace",
     "cuBLAS documentation, Results Reproducibility; measured on 13.1"},
    // Rings add in the order of the ranks. What may stay: core/policy/nccl_algorithms.h.
    {"NCCL_ALGO", "Ring", "Ring, CollnetDirect, CollnetChain; Tree if channels are pinned; ^NVLS",
     Treatment::force, false, true, "NCCL 2.5 and later", "as each communicator is made",
     "NCCL's tuning.cc; Megatron-LM, vLLM and SGLang, which choose so for repeatable runs"},
    {"NCCL_PROTO", "Simple", "Simple|LL|LL128", Treatment::force, false, true, "NCCL 2.5 and later",
     "as each communicator is made", "NCCL documentation, Environment Variables"},
    {"NCCL_NVLS_ENABLE", "0", "0", Treatment::force, false, false, "NCCL 2.17 and later",
     "as each communicator is made", "NCCL documentation, Environment Variables"},
    // 1 stays: a ring has no use for it, and the user's own CollnetDirect needs it.
    {"NCCL_COLLNET_ENABLE", "0", "0|1", Treatment::force, false, false, "NCCL 2.6 and later",
     "as each communicator is made", "NCCL documentation, Environment Variables"},
    // Symmetric kernels ignore NCCL_ALGO: those for registered windows, and those for other buffers that the
    // two variables behind it ask for.
    {"NCCL_WIN_ENABLE", "0", "0", Treatment::force, false, false, "NCCL 2.27 and later",
     "as each communicator is made", "NCCL's init.cc, enqueue.cc"},
    {"NCCL_SYM_NOWIN_ENABLE", "0", "0", Treatment::force, true, false, "NCCL 2.30 and later",
     "at the first call that could use one", "NCCL's symmetric_sched.cc, tuning.cc; in libnccl 2.30 to 2.32"},
    {"NCCL_SYM_KERNEL", "", "", Treatment::force, true, false, "NCCL 2.27 and later",
     "as each communicator is made, or at the first call",
     "NCCL's sym_kernels.cc, cost_model.cc; in libnccl 2.30 to 2.32"},
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
    {"TF_DETERMINISTIC_OPS", "1", "1|true", Treatment::strict, false, true, "TensorFlow 2.1 and later",
     "once, at the first op that asks", "tsl/util/determinism.cc"},
    {"TF_CUDNN_DETERMINISTIC", "1", "1|true", Treatment::force, false, true, "TensorFlow, XLA",
     "once, at the first convolution", "stream_executor/cuda/cuda_dnn.cc"},
    {"TF_CUDNN_USE_AUTOTUNE", "0", "0|false", Treatment::force, false, true, "TensorFlow",
     "at each new shape of a convolution", "tensorflow/core/util/use_cudnn.cc"},
    {"TF_CUDNN_USE_FRONTEND", "1", "1|true", Treatment::force, false, true, "TensorFlow",
     "at each new shape of a convolution", "tensorflow/core/util/use_cudnn.cc; TensorFlow issue 53771"},
    {"TF_ENABLE_ONEDNN_OPTS", "0", "0|false", Treatment::force, false, true, "TensorFlow",
     "as it is imported", "TensorFlow's own notice as it is imported"},
    {"XLA_FLAGS",
     "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0 "
     "--xla_disable_hlo_passes=scatter_determinism_expander",
     "values in which the first two come last of their name", Treatment::append, false, false,
     "XLA: JAX, TensorFlow", "once, at the first use of XLA",
     "xla/parse_flags_from_env.cc, gpu_compiler.cc; run with jaxlib 0.4.30 to 0.10.2"},
    // Only 1 turns tuning on, so there is nothing to set where the user set nothing.
    {"PYTORCH_TUNABLEOP_ENABLED", "0", "0", Treatment::force, true, false, "PyTorch",
     "at each matrix product", "PyTorch documentation, TunableOp"},
    {"TORCHINDUCTOR_DETERMINISTIC", "1", "1", Treatment::force, false, false,
     "PyTorch's Inductor, 2.10 and later", "as torch._inductor is imported",
     "torch/_inductor/config.py, PyTorch's pull request 163589"},
    {"NVTE_ALLOW_NONDETERMINISTIC_ALGO", "0", "0", Treatment::force, false, false, "Transformer Engine",
     "at each attention", "Transformer Engine's documentation, Environment Variables"},
    {"NVTE_DISABLE_TRITON_AUTOTUNING", "1", "1", Treatment::force, false, false, "Transformer Engine",
     "as its Triton kernels are imported", "Transformer Engine's triton kernels"},
    {"TRITON_CACHE_AUTOTUNING", "1", "1|true|yes|on|y", Treatment::force, false, true, "Triton 3.4 and later",
     "as a kernel is decorated", "triton/knobs.py, triton/runtime/autotuner.py"},
    {"FLASH_ATTENTION_DETERMINISTIC", "1", "1", Treatment::force, false, false,
     "transformers and others that call flash-attn", "as they are imported, or at each attention",
     "transformers/modeling_flash_attention_utils.py"},
    // Qt draws by RDRAND, which no hook sees. Without it, it asks getentropy.
    {"QT_NO_CPU_FEATURE", "rdrnd rdseed", "rdrnd rdseed*", Treatment::force, false, false,
     "Qt 5, and Qt 6 from 6.9 on", "at the first random number",
     "qtbase's qsimd.cpp; measured on 5.15, 6.4 to 6.10"},
    // The tuner of vLLM's and of others' Triton kernels takes the first candidate.
    {"VLLM_TRITON_FORCE_FIRST_CONFIG", "1", "1|true", Treatment::force, false, true, "vLLM",
     "at each new key of a tuned Triton kernel", "vLLM's envs.py, pull request 42425"},
    {"FD_DETERMINISTIC_MODE", "1", "1|true", Treatment::force, false, true, "FastDeploy", "as it is imported",
     "FastDeploy, pull request 6610"},
    {"MAMBA_DETERMINISTIC", "1", "1", Treatment::force, false, false, "mamba-ssm",
     "as its kernels are imported", "mamba_ssm/utils/determinism.py"},
    {"CAUSAL_CONV1D_DETERMINISTIC", "1", "1", Treatment::force, false, false, "causal-conv1d 1.6 and later",
     "at each backward pass", "causal-conv1d's csrc"},

    {"PYTHONHASHSEED", "a number from the seed", "anything", Treatment::seed, true, false, "Python",
     "as it starts", "Python documentation, Command line and environment"},

    // General names, and libraries that few have: nothing is in the environment, but whoever asks for one in
    // a process that has the library loaded is given the value (library_of() below).
    {"FORCE_DETERMINISTIC", "1", "1", Treatment::answer, false, false, "TensorRT-LLM", "at the first ask",
     "TensorRT-LLM's envUtils.cpp"},
    {"ROCBLAS_DEFAULT_ATOMICS_MODE", "0", "0", Treatment::answer, false, false, "rocBLAS",
     "as each handle is made", "rocBLAS's handle.cpp"},
    {"MIOPEN_DEBUG_CONVOLUTION_DETERMINISTIC", "1", "1|on|yes|true|enable|enabled", Treatment::answer, false,
     true, "MIOpen", "at each search for a convolution", "MIOpen's solvers, IsApplicable"},
    {"FLAGS_cudnn_deterministic", "1", "1|true|t|yes|y", Treatment::answer, false, true, "Paddle",
     "as it is imported", "Paddle's flags.cc"},
    {"FLAGS_embedding_deterministic", "1", "1|2", Treatment::answer, false, false, "Paddle",
     "as it is imported", "Paddle's flags.cc"},
    {"HCCL_DETERMINISTIC", "true", "true|strict", Treatment::answer, false, true, "HCCL of Ascend's CANN",
     "as each communicator is made", "CANN's environment variables, HCCL_DETERMINISTIC"},
    {"LCCL_DETERMINISTIC", "1", "1", Treatment::answer, false, false, "LCCL of Ascend's ATB",
     "as each communicator is made", "MindFormers' environment variables"},
    {"ATB_MATMUL_SHUFFLE_K_ENABLE", "0", "0", Treatment::answer, false, false, "Ascend's ATB",
     "at the first matrix product", "MindFormers' environment variables"},
    {"ATB_LLM_LCOC_ENABLE", "0", "0", Treatment::answer, false, false, "Ascend's ATB", "as models are made",
     "vLLM-Ascend's batch-invariant mode"},
    {"CLOSE_MATMUL_K_SHIFT", "1", "1", Treatment::answer, false, false, "Ascend's matrix products",
     "at each matrix product", "vLLM-Ascend's batch-invariant mode"},

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
    // How many channels there are decides the shape of each tree.
    {"NCCL_MIN_NCHANNELS", "", "", Treatment::note, true, false, "NCCL", "as each communicator is made",
     "NCCL documentation, Environment Variables"},
    {"NCCL_MAX_NCHANNELS", "", "", Treatment::note, true, false, "NCCL", "as each communicator is made",
     "NCCL documentation, Environment Variables"},
    {"NCCL_NTHREADS", "", "", Treatment::note, true, false, "NCCL", "as each communicator is made",
     "NCCL documentation, Environment Variables"},
    {"NCCL_TOPO_FILE", "", "", Treatment::note, true, false, "NCCL", "as each communicator is made",
     "NCCL documentation, Environment Variables"},
    // Costs speed and may take another attention: the user's to choose.
    {"VLLM_BATCH_INVARIANT", "", "", Treatment::note, true, false, "vLLM", "as a worker starts",
     "vLLM documentation, Batch Invariance"},
    {"VLLM_ENABLE_V1_MULTIPROCESSING", "", "", Treatment::note, true, false, "vLLM", "as LLM() is made",
     "vLLM documentation, Reproducibility"},
    {"CUBLASLT_WORKSPACE_SIZE", "", "", Treatment::note, true, false, "PyTorch", "at the first product",
     "PyTorch's CUDABlas.cpp"},
    {"NVIDIA_TF32_OVERRIDE", "", "", Treatment::note, true, false, "cuBLAS, cuDNN", "as handles are made",
     "cuBLAS documentation, Floating Point Emulation"},
    {"MIOPEN_FIND_MODE", "", "", Treatment::note, true, false, "MIOpen", "at each search for a convolution",
     "MIOpen documentation, Find and Immediate Mode"},
    {"MIOPEN_FIND_ENFORCE", "", "", Treatment::note, true, false, "MIOpen",
     "at each search for a convolution", "MIOpen documentation, Find and Immediate Mode"},
    // Without it, Helion takes Python's generator, which is pinned.
    {"HELION_AUTOTUNE_RANDOM_SEED", "", "", Treatment::note, true, false, "Helion", "as a kernel is tuned",
     "Helion, pull request 644"},
    // The order of unique and group_by, and of sums in groups, follows its threads.
    {"POLARS_MAX_THREADS", "", "", Treatment::note, true, false, "polars", "as it is imported",
     "polars documentation, thread_pool_size; measured on 2.1"},
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

namespace {

constexpr bool is_forced(const SettingInfo& setting) {
  return setting.treatment < Treatment::seed; // forced, appended to, or in strict
}

constexpr bool is_in_order() {
  for (size_t i = 0; i < setting_count; ++i) {
    if (is_forced(settings[i]) != (i < forced_count)) return false;
    if ((settings[i].treatment == Treatment::note) != (i >= first_noted)) return false;
  }
  return settings[forced_count].treatment == Treatment::seed;
}
static_assert(is_in_order() && first_noted < 64 && setting_count - first_noted < 64); // a bit for each
static_assert(settings[1].name[5] == 'A'); // NCCL_ALGO, which is_good() asks for

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// True if the value is one of those separated by |.
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

} // namespace

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

namespace {
constexpr ByLetter by_letter(size_t count) {
  ByLetter made = {};
  for (size_t i = 0; i < count; ++i)
    if (i != forced_count) made.of[settings[i].name[0] - 'A'] |= bit(i);
  return made;
}
} // namespace

constexpr ByLetter forced_by_letter = by_letter(forced_count);
constexpr ByLetter read_by_letter = by_letter(first_noted);

const char* library_of(size_t answered) {
  constexpr const char* tensorrt_llm = "libtensorrt_llm|libnvinfer_plugin_tensorrt_llm";
  constexpr const char* atb = "libatb|liblcal";
  constexpr const char* of[answered_count] = {
      tensorrt_llm, "librocblas", "libMIOpen", "libpaddle|libphi", "libpaddle|libphi", "libhccl",
      atb,          atb,          atb,         "libascendcl"};
  return of[answered - first_answered];
}

bool is_good(const SettingInfo& setting, const char* value) {
  if (value == nullptr) return setting.good_unset;
  if (same_text(value, setting.value)) return true;
  if (&setting == &settings[1]) return is_one_order(value);
  XlaFlagsLacking lacking;
  if (setting.treatment == Treatment::append) return read_xla_flags(value, lacking) == XlaFlags::repeatable;
  return is_one_of(value, setting.good, setting.any_case);
}

const char* value_in(const char* entry, const char* name) {
  while (*name != 0)
    if (*entry++ != *name++) return nullptr;
  return *entry == '=' ? entry + 1 : nullptr;
}

size_t find_forced(const char* name, size_t length) {
  for (size_t i = 0; i < forced_count; ++i) {
    size_t same = 0;
    while (same < length && settings[i].name[same] == name[same] && name[same] != 0) ++same;
    if (same == length && settings[i].name[same] == 0) return i;
  }
  return forced_count;
}

} // namespace settings_table

using namespace settings_table;

bool setting_is_known(const char* name) {
  return same_text(name, python_hash_seed) || same_text(name, triton_cache) ||
         same_text(name, inductor_cache) || is_portable_setting(name) || find_read(name) < setting_count;
}

bool setting_is_good(const char* name, const char* value) {
  const size_t i = find_forced(name, text_length(name));
  return i < forced_count && is_good(settings[i], value);
}

} // namespace detshim
