// The Python code that times candidates by CUDA's events and takes the fastest, as data. To add a
// tuner: read where it asks for the elapsed time, and add that file here; where its candidates have
// names, add the variables in which they stand.
//
// Read were Triton 3.9.0, PyTorch 2.15 (with Inductor and its copy of quack), FlashInfer 0.7.4,
// quack-kernels 0.6.5, b12x 1.5.1, cuda-tile 1.7.0, nvidia-cudnn-frontend 1.32.0, torchao 0.18.0,
// SGLang 0.5.23 and DeepSpeed's and Megatron's timers as installed by pip, and TensorRT-LLM's
// source at commit 000a01de66.
//
// Not here, although they time: tilelang, whose candidates queue as their compilers end, so that
// the first of equals is chance; Helion, whose search was not followed. Who asks and is not here is
// recorded by name.
#pragma once

#include "common/text.h"

namespace detshim {

/// The file whose code passes the question for the elapsed time on: the frame behind counts.
inline constexpr const char* event_wrapper = "/torch/cuda/streams.py";

/// A file that asks for the elapsed time of candidates.
struct TunerFile {
  char file[56];    ///< how its path ends
  char package[16]; ///< whose `__version__` says which tuner it is
};
inline constexpr TunerFile tuner_files[] = {
    {"/triton/testing.py", "triton"}, // do_bench, do_bench_cudagraph
    {"/triton/runtime/autotuner.py", "triton"},
    {"/torch/_inductor/runtime/benchmarking.py", "torch"},      // InductorBenchmarker
    {"/torch/_inductor/runtime/triton_heuristics.py", "torch"}, // CachingAutotuner
    {"/torch/_inductor/utils.py", "torch"},            // do_bench_using_profiling's estimates
    {"/torch/_inductor/select_algorithm.py", "torch"}, // collectives
    {"/torch/_inductor/autotune_process.py", "torch"},
    {"/torch/_inductor/fx_passes/node_runtime_estimation.py", "torch"}, // orders collectives
    {"/quack/bench/bench_utils.py", "quack"}, // also PyTorch's copy, torch/_vendor/quack
    {"/flashinfer/autotuner.py", "flashinfer"},
    {"/quack/autotuner.py", "quack"},                     // PyTorch's copy in 2.13
    {"/flashinfer/autotuner/autotuner.py", "flashinfer"}, // from 0.6.15 on
    {"/flashinfer/autotuner/_graph_timing.py", "flashinfer"},
    {"/flashinfer/mla/_sparse_mla_sm120/_calibration.py", "flashinfer"},
    {"/flashinfer/mla/_sparse_mla_sm120_cpb.py", "flashinfer"}, // 0.7.0
    {"/flashinfer/comm/pcie_ipc_tuning.py", "flashinfer"},
    {"/comm/pcie_ipc_collectives/_ag_rs_tuning.py", "flashinfer"},
    {"/flashinfer/moe_ep/core/tuning_measurement.py", "flashinfer"},
    {"/next_cutedsl_megamoe/shim/autotune.py", "flashinfer"}, // 0.7.2
    {"/cute_dsl/megamoe/bf16_nvfp4/autotune.py", "flashinfer"},
    {"/mxfp4_mxfp8_bf16_cake/cake_tuner.py", "flashinfer"},
    {"/flashinfer/testing/utils.py", "flashinfer"}, // bench_gpu_time, by which two choose
    {"/b12x/preparation/_measurement.py", "b12x"},  // also FlashInfer's copy
    {"/b12x/comm/pcie/pcie_dma.py", "b12x"},        // 1.2.8
    {"/cuda/tile/tune/_tune.py", "cuda.tile"},      // through its own extension
    {"/cuda/tile/tune/_tune_utils.py", "cuda.tile"},
    {"/cudnn/gemm/ops/swiglu_mlp.py", "cudnn"},
    {"/cudnn/moe_ep/_autotune.py", "cudnn"},
    {"/torchao/kernel/autotuner.py", "torchao"},
    {"/runtime/layers/attention/autotune.py", "sglang"},
    {"/device_communicators/pymscclpp.py", "sglang"}, // chooses an all-reduce
    {"/tensorrt_llm/_torch/autotuner.py", "tensorrt_llm"},
};

/// Files of packages that ask for it and only report it.
inline constexpr const char* reporting_files[] = {
    "/deepspeed/utils/timer.py",
    "/megatron/core/utils.py",
    "/megatron/training/gpu_sniff_test.py",
};

/// What a variable of a tuner's frame says.
enum class Says { kernel, key, candidate };

/// Where the frames of a tuner's file say what is being timed. Of one file all that are there
/// count, in this order, from the innermost frame on; the first file that names a candidate is the
/// tuner.
struct TunerVariable {
  char file[56];
  char function[24];
  Says says;
  char variable[28];
};
inline constexpr TunerVariable tuner_variables[] = {
    {"/triton/runtime/autotuner.py", "_bench", Says::candidate, "config"},
    {"/triton/runtime/autotuner.py", "_bench", Says::kernel, "self.base_fn.__name__"},
    {"/triton/runtime/autotuner.py", "_bench", Says::key, "self.base_fn.__module__"},
    {"/triton/runtime/autotuner.py", "run", Says::key, "key"},
    {"/torch/_inductor/runtime/triton_heuristics.py", "bench", Says::candidate, "launcher.config"},
    {"/torch/_inductor/runtime/triton_heuristics.py", "bench", Says::kernel, "self.fn.__name__"},
    {"/torch/_inductor/runtime/triton_heuristics.py", "bench", Says::key, "self.size_hints"},
    {"/torch/_inductor/runtime/triton_heuristics.py", "bench", Says::key, "self.kernel_hash"},
    {"/torch/_inductor/select_algorithm.py", "benchmark_choice", Says::candidate,
     "choice.__class__.__name__"},
    {"/torch/_inductor/select_algorithm.py", "benchmark_choice", Says::candidate,
     "choice.choice.name"},
    {"/torch/_inductor/select_algorithm.py", "benchmark_choice", Says::candidate,
     "choice.description"},
    {"/torch/_inductor/select_algorithm.py", "benchmark_choice", Says::key, "inputs"},
    {"/torch/_inductor/select_algorithm.py", "benchmark_choice", Says::key, "output"},
    // FlashInfer's and TensorRT-LLM's.
    {"/autotuner.py", "_profile_single_kernel", Says::candidate, "runner.__class__.__name__"},
    {"/autotuner.py", "_profile_single_kernel", Says::candidate, "tactic"},
    {"/autotuner.py", "_profile_single_kernel", Says::key, "inputs"},
    {"/autotuner.py", "choose_one", Says::kernel, "custom_op"},
};

/// How the files of TensorRT's builder begin, which times candidates itself.
inline constexpr const char* tuner_library = "libnvinfer";

/// The row of the file, or nullptr.
constexpr const TunerFile* find_tuner_file(const char* path) {
  for (const TunerFile& tuner : tuner_files)
    if (ends_with(path, tuner.file))
      return &tuner;
  return nullptr;
}

constexpr bool is_reporting_file(const char* path) {
  for (const char* file : reporting_files)
    if (ends_with(path, file))
      return true;
  return false;
}

/// What of the path lies below a folder of installed packages; nullptr for another file.
constexpr const char* path_in_packages(const char* path) {
  for (const char* folder : {"/site-packages/", "/dist-packages/"})
    for (const char* at = path; *at != 0; ++at)
      if (starts_with(at, folder))
        return at + text_length(folder);
  return nullptr;
}

} // namespace detshim
