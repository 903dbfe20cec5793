#include "core/policy/settings_table.h"

#include "common/version_range.h"
#include "core/policy/nccl_algorithms.h"
#include "core/policy/xla_flags.h"

#include <initializer_list>

namespace detshim {
namespace settings_table {

// What is set comes first, then PYTHONHASHSEED, then what is only written down.
[[gnu::section("detshim_setting_info"),
  gnu::used]] constexpr SettingInfo settings[setting_count] = {
    // Both values bound the workspaces of a handle so that several streams cannot share one.
    {"CUBLAS_WORKSPACE_CONFIG", "cuBLAS; PyTorch",
     "once, at the first cublasCreate; PyTorch at each new workspace",
     "cuBLAS documentation, Results Reproducibility; measured on 13.1", Treatment::force, ":4096:8",
     ":4096:8|:16:8", false, false, "libcublas|nvidia_cublas*", "10.2..13"},
    // Rings add in the order of the ranks. What may stay: core/policy/nccl_algorithms.h.
    {"NCCL_ALGO", "NCCL", "as each communicator is made",
     "NCCL's tuning.cc; Megatron-LM, vLLM and SGLang, which choose so for repeatable runs",
     Treatment::force, "Ring",
     "Ring, CollnetDirect, CollnetChain; Tree if channels are pinned; ^NVLS", false, true,
     "libnccl|nvidia_nccl*", "2.5..2.32"},
    // For NCCL_ALGO=allreduce:tree it is allreduce:Simple,Simple.
    {"NCCL_PROTO", "NCCL", "as each communicator is made",
     "NCCL documentation; NCCL's tuning.cc, cost_model.cc; vLLM's pull request 58179",
     Treatment::force, "Simple", "Simple, LL, LL128; one for each function", false, true,
     "libnccl|nvidia_nccl*", "2.5..2.32"},
    {"NCCL_NVLS_ENABLE", "NCCL", "as each communicator is made", "NCCL documentation",
     Treatment::force, "0", "0", false, false, "libnccl|nvidia_nccl*", "2.5..2.32"},
    // 1 stays: a ring has no use for it, and the user's own CollnetDirect needs it.
    {"NCCL_COLLNET_ENABLE", "NCCL", "as each communicator is made", "NCCL documentation",
     Treatment::force, "0", "0|1", false, false, "libnccl|nvidia_nccl*", "2.5..2.32"},
    // Symmetric kernels ignore NCCL_ALGO: those for registered windows, and those for other buffers
    // that the two variables behind it ask for.
    {"NCCL_WIN_ENABLE", "NCCL", "as each communicator is made", "NCCL's init.cc, enqueue.cc",
     Treatment::force, "0", "0", false, false, "libnccl|nvidia_nccl*", "2.5..2.32",
     "2.27 on: what asks for symmetric memory is refused"},
    {"NCCL_SYM_NOWIN_ENABLE", "NCCL", "at the first call that could use one",
     "NCCL's symmetric_sched.cc, tuning.cc; in libnccl 2.29 to 2.32", Treatment::force, "0", "0",
     true, false, "libnccl|nvidia_nccl*", "2.5..2.32"},
    {"NCCL_SYM_KERNEL", "NCCL", "as each communicator is made, or at the first call",
     "NCCL's sym_kernels.cc, cost_model.cc; in libnccl 2.30 to 2.32", Treatment::force, "", "",
     true, false, "libnccl|nvidia_nccl*", "2.5..2.32"},
    {"KMP_DETERMINISTIC_REDUCTION", "OpenMP of LLVM and Intel", "at the first region",
     "LLVM's openmp/runtime/src/kmp_settings.cpp", Treatment::force, "TRUE", "TRUE|true|1|yes|on"},
    // True makes the number of threads follow the machine's load.
    {"OMP_DYNAMIC", "every OpenMP", "libgomp as it is loaded, the others at the first region",
     "OpenMP specification, OMP_DYNAMIC", Treatment::force, "FALSE", "FALSE|0", false, true},
    {"MKL_DYNAMIC", "MKL", "at the first call that has threads",
     "oneMKL Developer Guide, MKL_DYNAMIC; measured on 2026.2", Treatment::force, "FALSE", "FALSE",
     false, true},
    // AUTO depends on the processor and keeps to one path through the code: the same bits on the
    // same processor with the same number of threads. COMPATIBLE would hold across processors, and
    // is many times slower.
    {"MKL_CBWR", "MKL", "at the first call",
     "oneMKL Developer Guide, Conditional Numerical Reproducibility; measured", Treatment::force,
     "AUTO", "AUTO*|COMPATIBLE*|SSE*|SSSE3*|AVX*|BRANCH=A*|BRANCH=C*|BRANCH=S*", false, true, "",
     "11.0 on"},
    {"TF_DETERMINISTIC_OPS", "TensorFlow", "once, at the first op that asks",
     "tsl/util/determinism.cc", Treatment::strict, "1", "1|true", false, true,
     "tensorflow|tensorflow_cpu", "2.1..2.21", "2.1 on: random ops without a seed are refused"},
    // Which of a host's ranks add first follows from where they run.
    {"I_MPI_CBWR", "Intel MPI", "as MPI is initialized",
     "Intel MPI Developer Reference, I_MPI_CBWR; not tried", Treatment::force, "1",
     "1|2|weak|strict", false, false, "", "2018 on"},
    {"nnUNet_n_proc_DA", "nnU-Net", "as the training begins",
     "nnunetv2/utilities/default_n_proc_DA.py", Treatment::strict, "0", "0", false, true, "",
     "2.0 on"},
    {"TF_CUDNN_DETERMINISTIC", "TensorFlow, XLA", "once, at the first convolution",
     "cuda_dnn.cc; NVIDIA's framework-determinism", Treatment::force, "1", "1|true", false, true,
     "tensorflow|tensorflow_cpu", "1.14..2.8", "", false, false},
    {"TF_CUDNN_USE_AUTOTUNE", "TensorFlow", "at each new shape of a convolution",
     "tensorflow/core/util/use_cudnn.cc", Treatment::force, "0", "0|false", false, true,
     "tensorflow|tensorflow_cpu", "1.0..2.21"},
    {"TF_CUDNN_USE_FRONTEND", "TensorFlow", "at each new shape of a convolution",
     "tensorflow/core/util/use_cudnn.cc; tensorflow#53771", Treatment::force, "1", "1|true", false,
     true, "tensorflow|tensorflow_cpu", "2.5..2.8", "", false, false},
    {"TF_ENABLE_ONEDNN_OPTS", "TensorFlow", "as it is imported",
     "TensorFlow's own notice as it is imported", Treatment::force, "0", "0|false", false, true,
     "tensorflow|tensorflow_cpu", "2.5..2.21"},
    {"XLA_FLAGS", "XLA: JAX, TensorFlow", "once, at the first use of XLA",
     "xla/parse_flags_from_env.cc, gpu_compiler.cc; run with jaxlib 0.4.30 to 0.12.0",
     Treatment::append,
     "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0 "
     "--xla_disable_hlo_passes=scatter_determinism_expander",
     "values in which the first two come last of their name", false, false, "jaxlib|jax_plugins",
     "0.4.30..0.12",
     "jaxlib 0.4.36 to 0.7.1: a pass that writes wrong results, which is taken away", true},
    // Only 1 turns tuning on, so there is nothing to set where the user set nothing.
    {"PYTORCH_TUNABLEOP_ENABLED", "PyTorch", "at each matrix product",
     "PyTorch documentation, TunableOp", Treatment::force, "0", "0", true, false, "torch",
     "2.3..2.15"},
    {"TORCHINDUCTOR_DETERMINISTIC", "PyTorch's Inductor", "as torch._inductor is imported",
     "torch/_inductor/config.py, PyTorch's pull request 163589", Treatment::force, "1", "1", false,
     false, "torch", "2.11..2.15",
     "2.10: overlap scheduling that times ends in an error; pull request 175204"},
    {"NVTE_ALLOW_NONDETERMINISTIC_ALGO", "Transformer Engine", "at each attention",
     "Transformer Engine's documentation, Environment Variables", Treatment::force, "0", "0", false,
     false, "transformer_engine*", "0.12..2.14",
     "2.15 on: mHC, GroupedLinear's bias and the grouped MLP end in an error"},
    {"NVTE_DISABLE_TRITON_AUTOTUNING", "Transformer Engine", "as its Triton kernels are imported",
     "Transformer Engine's triton kernels", Treatment::force, "1", "1", false, false,
     "transformer_engine*", "2.20..2.20"},
    {"TRITON_CACHE_AUTOTUNING", "Triton", "as a kernel is decorated",
     "triton/knobs.py, triton/runtime/autotuner.py", Treatment::force, "1", "1|true|yes|on|y",
     false, true, "triton|pytorch_triton", "3.4..3.9",
     "Megatron-LM's deterministic mode times its kernels then, by the event clock"},
    {"FLASH_ATTENTION_DETERMINISTIC", "transformers and others that call flash-attn",
     "as they are imported, or at each attention", "transformers/modeling_flash_attention_utils.py",
     Treatment::force, "1", "1", false, false, "flash_attn|flash_attn_2_cuda", "2.4.1..2.8"},
    // Qt draws by RDRAND, which no hook sees. Without it, it asks getentropy.
    {"QT_NO_CPU_FEATURE", "Qt 5, and Qt 6 from 6.9 on", "at the first random number",
     "qtbase's qsimd.cpp; measured on 5.15, 6.4 to 6.10", Treatment::force, "rdrnd rdseed",
     "rdrnd rdseed*", false, false, "libQt6Core", "6.9..6.10",
     "a Qt built for processors with rdrand alone does not start"},
    // The tuner of vLLM's and of others' Triton kernels takes the first candidate.
    {"VLLM_TRITON_FORCE_FIRST_CONFIG", "vLLM", "at each new key of a tuned Triton kernel",
     "vLLM's envs.py, pull request 42425", Treatment::force, "1", "1|true", false, true, "vllm",
     "0.24..0.33"},
    {"FD_DETERMINISTIC_MODE", "FastDeploy", "as it is imported", "FastDeploy, pull request 6610",
     Treatment::force, "1", "1|true", false, true, "", "pull request 6476 on"},
    {"MAMBA_DETERMINISTIC", "mamba-ssm", "as its kernels are imported",
     "mamba_ssm/utils/determinism.py", Treatment::force, "1", "1", false, false, "",
     "pull request 827 on"},
    {"CAUSAL_CONV1D_DETERMINISTIC", "causal-conv1d", "at each backward pass",
     "causal-conv1d's csrc", Treatment::force, "1", "1", false, false,
     "causal_conv1d|causal_conv1d_cuda", "1.6..1.7"},
    {"FORCE_DETERMINISTIC", "TensorRT-LLM", "at the first ask", "TensorRT-LLM's envUtils.cpp",
     Treatment::force, "1", "1", false, false, "tensorrt_llm", "0.20..1.2",
     "before 0.20: ends in an error; pull request 3448", true},
    {"FLAGS_cudnn_deterministic", "Paddle", "as it is imported", "Paddle's flags.cc",
     Treatment::force, "1", "1|true|t|yes|y", false, true, "paddle|paddlepaddle*", "1.0..3.3"},
    {"FLAGS_embedding_deterministic", "Paddle", "as it is imported", "Paddle's pull request 50494",
     Treatment::force, "1", "1|2", false, false, "paddle|paddlepaddle*", "2.5..3.3"},
    // By events, which the event clock answers, also where the processor's clock would be asked.
    {"FLASHINFER_AUTOTUNE_TIMER", "FlashInfer", "as its tuner is made",
     "flashinfer/autotuner/autotuner.py of 0.6.16 to 0.7.4; not tried", Treatment::force,
     "cuda_event", "cuda_event", false, true, "flashinfer_python", "0.6.16..0.7"},
    {"FLASHINFER_CUTILE_AUTOTUNE_DISABLED", "FlashInfer", "as its cuTile kernels are imported",
     "flashinfer's kernels/cutile of 0.6.18 to 0.7.4; not tried", Treatment::force, "1", "1", false,
     false, "flashinfer_python", "0.6.18..0.7"},
    {"B12X_DYNAMIC_DETERMINISTIC_OUTPUT", "b12x, FlashInfer's copy of it",
     "at each plan and each call", "b12x/moe/fused_moe/_impl.py of 0.23.0 to 1.5.1; not tried",
     Treatment::force, "1", "1|true|True", false, false, "b12x", "0.23..1.5",
     "a configuration of the user's that names `micro` is refused"},
    {"CUDNN_GEMM_SWIGLU_FROST_AUTOTUNE", "cuDNN's front end", "as it is imported",
     "cudnn/gemm/ops/swiglu_mlp.py of 1.29.0 to 1.32.0; not tried", Treatment::force, "0", "0",
     false, false, "nvidia_cudnn_frontend", "1.29..1.32"},
    {"VERL_DISABLE_FLASH_ATTN_CE", "verl", "at each loss",
     "verl/utils/torch_functional.py of 0.9.0 and 0.9.1; not tried", Treatment::force, "1", "1",
     false, false, "verl", "0.9..0.9"},
    {"HELION_AUTOTUNE_EFFORT", "Helion", "as a kernel is decorated",
     "helion/runtime/settings.py of 0.1.8 to 1.5.1; not tried", Treatment::force, "none", "none",
     false, false, "helion", "1.4..1.5", "before 1.4: with HELION_FORCE_AUTOTUNE ends in an error",
     true},

    {"PYTHONHASHSEED", "Python", "as it starts",
     "Python documentation, Command line and environment", Treatment::seed,
     "a number from the seed", "anything", true},

    // The number of threads decides in which order parallel sums are added. Which is right is the
    // user's:
    // to set one could slow a program down many times. (`detshim run` sets OMP_NUM_THREADS.)
    {"OMP_NUM_THREADS", "every OpenMP; OpenBLAS, MKL, PyTorch",
     "as they are loaded, or at the first region", "OpenMP specification, OMP_NUM_THREADS"},
    {"OPENBLAS_NUM_THREADS", "OpenBLAS", "as it is loaded", "OpenBLAS's README"},
    {"MKL_NUM_THREADS", "MKL", "at the first call that has threads", "oneMKL Developer Guide"},
    // Its own seed is the one number for every rank, worker and device; without it CuPy takes
    // os.urandom, which is pinned, for each its own.
    {"CUPY_SEED", "CuPy", "at the first draw on each device", "cupy/random/_generator.py"},
    // How many channels there are decides the shape of each tree.
    {"NCCL_MIN_NCHANNELS", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_MAX_NCHANNELS", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_NTHREADS", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_TOPO_FILE", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_MIN_CTAS", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_MAX_CTAS", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_CTA_POLICY", "NCCL", "as each communicator is made", "NCCL's init.cc; from 2.27 on"},
    {"NCCL_BUFFSIZE", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_PXN_DISABLE", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_MNNVL_ENABLE", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_GRAPH_FILE", "NCCL", "as each communicator is made", "in libnccl from 2.21 on"},
    {"NCCL_RUNTIME_CONNECT", "NCCL", "as each communicator is made", "in libnccl from 2.23 on"},
    {"NCCL_PAT_ENABLE", "NCCL", "as each communicator is made", "NCCL documentation"},
    {"NCCL_NO_CACHE", "NCCL", "as each communicator is made", "in libnccl from 2.29 on"},
    {"NCCL_SYM_GIN_KERNELS_ENABLE", "NCCL", "at the first call", "in libnccl from 2.29 on"},
    {"NCCL_SYM_CE_THRESHOLD", "NCCL", "at the first call", "in libnccl from 2.29 on"},
    {"NCCL_CE_CHUNK_SIZE", "NCCL", "at the first call", "in libnccl 2.32"},
    // Costs speed and may take another attention: the user's to choose.
    {"VLLM_BATCH_INVARIANT", "vLLM", "as a worker starts", "vLLM documentation, Batch Invariance"},
    {"VLLM_ENABLE_V1_MULTIPROCESSING", "vLLM", "as LLM() is made",
     "vLLM documentation, Reproducibility"},
    {"VLLM_ENABLE_INDUCTOR_MAX_AUTOTUNE", "vLLM", "as a model is compiled", "vLLM's envs.py"},
    // Unset, a prompt has today's date.
    {"VLLM_SYSTEM_START_DATE", "vLLM", "at each conversation of Harmony", "vLLM's envs.py"},
    // The server writes it by its own option, whatever it was.
    {"SGLANG_ENABLE_DETERMINISTIC_INFERENCE", "SGLang", "as a server starts",
     "sglang/srt/environ.py"},
    {"TORCHINDUCTOR_BATCH_INVARIANT", "PyTorch's Inductor", "as torch._inductor is imported",
     "torch/_inductor/config.py of 2.13 to 2.15"},
    {"CUPY_ACCELERATORS", "CuPy", "as it is imported", "cupy/_core/_accelerator.pyx"},
    {"NVTE_RS_STRIDED_ATOMIC", "Transformer Engine", "as communication buffers are made",
     "in libtransformer_engine from 1.13 on"},
    // Whether a * b + c is rounded once; Triton 3.10 turns it off by default.
    {"TRITON_DEFAULT_FP_FUSION", "Triton", "as a kernel is compiled", "triton/knobs.py"},
    // transformers sets 1, verl true; what the library makes of them was not read.
    {"HCCL_DETERMINISTIC", "Ascend's HCCL", "as a communicator is made",
     "Ascend's documentation, envref_07_0099; not tried"},
    {"CUBLASLT_WORKSPACE_SIZE", "PyTorch", "at the first product", "PyTorch's CUDABlas.cpp"},
    {"NVIDIA_TF32_OVERRIDE", "cuBLAS, cuDNN", "as handles are made",
     "cuBLAS documentation, Floating Point Emulation"},
    // Without it, Helion takes Python's generator, which is pinned.
    {"HELION_AUTOTUNE_RANDOM_SEED", "Helion", "as a kernel is tuned", "Helion, pull request 644"},
    // The order of unique and group_by, and of sums in groups, follows its threads.
    {"POLARS_MAX_THREADS", "polars", "as it is imported",
     "polars documentation, thread_pool_size; measured on 2.1"},
    // 1 gives convolutions back to the legacy API, where benchmarks are filtered too.
    {"TORCH_CUDNN_V8_API_DISABLED", "PyTorch", "at each convolution", "PyTorch's Conv_v8.cpp"},
    // A plan that a small cache drops is chosen anew.
    {"TORCH_CUDNN_V8_API_LRU_CACHE_LIMIT", "PyTorch", "at the first convolution",
     "PyTorch's Conv_v8.cpp"},
    {"CUDNN_SKIPHEUR_DBG", "cuDNN", "at the first cudnnCreate", "undocumented; 9.19 asks for it"},
    {"CUDNN_PREFER_SM_COUNT_DBG", "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_RNN_WS_SIZE_DBG", "cuDNN", "at the first cudnnCreate",
     "undocumented; 9.19 asks for it"},
    {"CUDNN_CONV_WSCAP_DBG", "cuDNN", "at the first cudnnCreate", "undocumented; 9.19 asks for it"},
    {"CUDNN_FORCE_JIT_DBG", "cuDNN", "at the first cudnnCreate", "undocumented; 9.19 asks for it"},
    {"CUDNN_STRICT_DBG", "cuDNN", "at the first cudnnCreate", "undocumented; 9.19 asks for it"},
    {"CUDNN_LIB_CONFIG", "cuDNN", "at the first cudnnCreate", "undocumented; 9.19 asks for it"},
    {"MPICH_ALLREDUCE_NO_SMP", "Cray's MPICH", "as MPI is initialized",
     "Cray's intro_mpi(3); not tried"},
    {"MPICH_REDUCE_NO_SMP", "Cray's MPICH", "as MPI is initialized",
     "Cray's intro_mpi(3); not tried"},
};

namespace {

constexpr bool is_forced(const SettingInfo& setting) {
  return setting.treatment < Treatment::seed; // forced, appended to, or in strict
}

constexpr bool is_in_order() {
  for (size_t i = 0; i < setting_count; ++i) {
    if (is_forced(settings[i]) != (i < forced_count))
      return false;
    if ((settings[i].treatment == Treatment::note) != (i >= first_noted))
      return false;
  }
  return settings[forced_count].treatment == Treatment::seed;
}
static_assert(is_in_order() && first_noted < 64 &&
              setting_count - first_noted < 64); // a bit for each
static_assert(settings[1].name[5] == 'A');       // NCCL_ALGO, which is_good() asks for
static_assert(settings[2].name[5] == 'P');       // NCCL_PROTO

} // namespace

constinit Entries entries = [] {
  Entries made = {};
  for (size_t i = 0; i < forced_count; ++i) {
    char* to = made.of[i].text;
    for (const char* c = settings[i].name; *c != 0; ++c)
      *to++ = *c;
    *to++ = '=';
    made.value_at[i] = static_cast<unsigned char>(to - made.of[i].text);
    for (const char* c = settings[i].value; *c != 0; ++c)
      *to++ = *c;
  }
  return made;
}();

constexpr ByLetter forced_by_letter = [] {
  ByLetter made = {};
  for (size_t i = 0; i < forced_count; ++i)
    made.of[settings[i].name[0] % 32] |= bit(i);
  return made;
}();

bool is_good(const SettingInfo& setting, const char* value) {
  if (value == nullptr)
    return setting.good_unset;
  if (same_text(value, setting.value))
    return true;
  if (&setting == &settings[1])
    return is_one_order(value);
  if (&setting == &settings[2])
    return is_one_protocol(value);
  if (setting.treatment == Treatment::append)
    return read_xla_flags(value) == XlaFlags::repeatable;
  return is_one_of(value, setting.good, setting.any_case);
}

const char* value_in(const char* entry, const char* name) {
  while (*name != 0)
    if (*entry++ != *name++)
      return nullptr;
  return *entry == '=' ? entry + 1 : nullptr;
}

size_t find_forced(const char* text) {
  size_t setting = forced_count;
  each_bit(forced_by_letter[*text], [&](size_t i) {
    if (same_name(text, settings[i].name))
      setting = i;
  });
  return setting;
}

} // namespace settings_table

using namespace settings_table;

bool setting_is_known(const char* name) {
  return same_text(name, python_hash_seed) || same_text(name, triton_cache) ||
         same_text(name, inductor_cache) || is_portable_setting(name) ||
         find_forced(name) < forced_count;
}

bool is_entry_of_setting(const char* entry) {
  for (const char* name : {python_hash_seed, triton_cache, inductor_cache})
    if (same_name(entry, name))
      return true;
  for (const char* name : portable_names)
    if (same_name(entry, name))
      return true;
  return find_forced(entry) < forced_count;
}

bool setting_is_good(const char* name, const char* value) {
  const size_t i = find_forced(name);
  return i < forced_count && is_good(settings[i], value);
}

} // namespace detshim
