// Decides by the name of the folder below site-packages, or of the extension there, that holds the
// code which starts a thread. What the C++ library starts (std::thread) belongs to the code that
// called it.
//
// It cannot know what the threads of a listed package do with what is handed to them, nor a thread
// that was started as a package was imported: no line of the user's waits for that one.
#include "hooks/support/package_threads.h"

#include "common/text.h"
#include "common/version_range.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/policy/options.h"
#include "hooks/support/user_call_sites.h"
#include "loader/once_in_thread.h"

namespace detshim {
namespace {

/// Behind "-packages/", as far as they go. docs/FRAMEWORKS.md has what was tried; runtimes with a
/// reason of their own are in hooks/runtimes/unseen_runtimes.cpp.
constexpr const char* of_one_answer =
    // They divide sums by the number of threads, or do not sum.
    "numpy*|scipy*|sklearn*|scikit_learn*|torch*|functorch*|xgboost*|lightgbm*|catboost*|"
    "_catboost*|annoy*|tensorflow*|jaxlib*|jax*|onnxruntime*|pandas*|pyarrow*|cv2*|opencv*|PIL*|"
    "mkl*|intel_openmp*|av*|"
    // Their threads are a reason, or dealt with, by hooks of their own.
    "polars*|_polars*|duckdb*|_duckdb*|tokenizers*|tbb*|numba*|llvmlite*|faiss*|mindspore*|"
    "nvidia*|triton*|cupy*|"
    // They carry messages and files.
    "zmq*|pyzmq*|grpc*|google*|ray*|uvloop*|wandb*|psutil*|h5py*|tables*|lmdb*|pymongo*|psycopg*|"
    "curl*|pycurl*|cryptography*|_cffi*|watchdog*|matplotlib*|PyQt*|PySide*";

/// Files of packages whose pools of Python's threads give one answer: each task seeds itself, or
/// fetches something.
constexpr const char* pools_of_one_answer[] = {
    "/sklearn/ensemble/_forest.py",
    "/sklearn/ensemble/_bagging.py",
    "/sklearn/ensemble/_hist_",
    "-packages/huggingface_hub/",
    "-packages/transformers/",
    "-packages/datasets/",
    "-packages/fsspec/",
    "-packages/s3transfer/",
    "-packages/mlflow/",
    "-packages/wandb/",
    "-packages/dask/",
    "-packages/distributed/",
    "-packages/torch/",
};

bool is_of_cpp_library(const Module& module) {
  const char* const file = file_name(module.path);
  return starts_with(file, "libstdc++") || starts_with(file, "libc++");
}

/// The code that wants the thread.
bool find_starter(const void* caller, Module& module) {
  if (!find_module(caller, module))
    return false;
  if (!is_of_cpp_library(module))
    return true;
  NativeFrames frames;
  constexpr int few = 4;
  find_native_frames(caller, frames, few);
  for (int i = 0; i < frames.count; ++i)
    if (find_module(reinterpret_cast<const void*>(frames.addresses[i]), module) &&
        !is_of_cpp_library(module))
      return true;
  return false;
}

bool may_race(const void* caller) {
  Module module;
  if (!find_starter(caller, module) || is_python(module))
    return false;
  char path[512];
  module_path(module, path, sizeof path);
  constexpr const char* packages = "-packages/";
  const char* at = path;
  while (*at != 0 && !starts_with(at, packages))
    ++at;
  return *at != 0 && !is_one_of(at + text_length(packages), of_one_answer, false);
}

} // namespace

void note_package_thread(const void* caller) {
  if (!options().pins() || once_in_thread(of_one_answer, caller, [&] {
                             return may_race(caller);
                           }) == 0)
    return;
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, true);
  if (place.user >= 0)
    keep_python_call(UserCall::threads, caller, place);
}

bool is_pool_of_one_answer() {
  constexpr int deep = 24;
  bool is_known = false;
  each_python_frame(deep, [&](const PythonFrame& frame) {
    for (const char* const file : pools_of_one_answer)
      is_known |= contains(frame.file, file);
  });
  return is_known;
}

} // namespace detshim
