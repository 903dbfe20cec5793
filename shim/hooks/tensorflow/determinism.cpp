// TensorFlow's question whether its operators must be deterministic (tsl/util/determinism.cc),
// which its library of kernels asks its framework's library, by name, at each call.
//
// TF_DETERMINISTIC_OPS=1 says yes to everybody: random ops then end a program that has set no seed.
// Here the kernels alone are told yes, because the framework's own library asks itself past the
// hook: on a CPU, adding rows to a variable (an embedding's gradient) goes on one thread instead of
// in whichever order threads come. Kernels for GPUs are told what is so: where one has no
// deterministic form, yes would end the program.
#include "core/base/modules.h"
#include "core/base/string_references.h"
#include "loader/hook.h"

namespace detshim {
namespace {

bool may_have_gpu() {
  return any_module_path([](const char* path, void*) {
    return starts_with(file_name(path), "libcuda.so");
  });
}

/// True for what refuses to run where the answer is yes (tf.timestamp).
bool refuses(const void* caller) {
  Module module;
  const CodeRange code = function_at(static_cast<const char*>(caller) - 1);
  return find_module(caller, module) &&
         refers_to_text(module, code, "Timestamp cannot be called when determinism is enabled");
}

template <typename Call>
bool answer(const Call& call) {
  const bool is_required = call.real();
  if (call.passes() || is_required || refuses(call.caller()))
    return is_required;
  if (!options().forces() || may_have_gpu()) {
    call.record(Action::nondeterministic, Reason::tensorflow_not_deterministic, {});
    return false;
  }
  call.record(Action::replace, Reason::deterministic_algorithm, {});
  return true;
}

constexpr Description answers_yes = {
    .action = Action::replace,
    .summary = "TensorFlow's operators take their deterministic implementations; where there is a "
               "GPU, those "
               "that ask are recorded.",
};

} // namespace
} // namespace detshim

using namespace detshim;

// bool tsl::OpDeterminismRequired(), from 2.11 on
DETSHIM_TEMPLATE_HOOK(tensorflow, Call<bool()>, _ZN3tsl21OpDeterminismRequiredEv, answer,
                      answers_yes);
// bool tensorflow::OpDeterminismRequired()
DETSHIM_TEMPLATE_HOOK(tensorflow, Call<bool()>, _ZN10tensorflow21OpDeterminismRequiredEv, answer,
                      answers_yes);
