// The Python code that times candidates by CUDA's events and takes the fastest, as data. To add a
// tuner: read where it asks for the elapsed time, and add that file here; where its candidates have
// names, add the variables in which they stand.
//
// Read were Triton 3.9.0, PyTorch 2.15 (with Inductor and its copy of quack), FlashInfer
// 0.7.2.post1 and quack-kernels 0.6.5 as installed by pip, and TensorRT-LLM's source at commit
// 000a01de66.
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
    {"/flashinfer/autotuner/autotuner.py", "flashinfer"}, // from 0.6 on
    {"/tensorrt_llm/_torch/autotuner.py", "tensorrt_llm"},
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

} // namespace detshim
