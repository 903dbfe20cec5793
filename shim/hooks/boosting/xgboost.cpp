// XGBoost: the linear booster's updater `shotgun`, its default, lets threads change weights without
// a lock; `coord_descent` has threads too and gives one result (doc/parameter.rst, "Parameters for
// Linear Booster"). What is left are kernels for GPUs: histograms before 1.1 (xgboost#5023), and
// the sampling that differs in the first training of a process (xgboost#8820). Those are recorded.
//
// Signatures: xgboost/c_api.h, 0.90 to 3.2.
#include "common/text.h"
#include "loader/hook.h"

namespace detshim {
namespace {

/// True before 1.1. XGBoostVersion is there from 1.0 on.
template <typename Call>
bool is_old(const Call& call) {
  int major = 0, minor = 0, patch = 0;
  if (auto* const version = call.template sibling<void(int*, int*, int*)>("XGBoostVersion"))
    version(&major, &minor, &patch);
  return major < 1 || (major == 1 && minor < 1);
}

template <typename Call>
int set_parameter(const Call& call, void* booster, const char* name, const char* value) {
  if (call.passes() || name == nullptr || value == nullptr)
    return call.real(booster, name, value);
  const auto is = [&](const char* parameter, const char* text) {
    return same_text(name, parameter) && same_text(value, text);
  };
  const bool is_default = is("booster", "gblinear");
  if (is_default || is("updater", "shotgun")) {
    const char* const given = options().forces() ? "coord_descent" : "shotgun";
    call.record(options().forces() ? Action::replace : Action::nondeterministic,
                Reason::boosting_unlocked, {is_default ? "unset" : value, given});
    if (!is_default)
      value = given; // what the program itself sets comes later, or was this
    else if (options().forces())
      call.real(booster, "updater", given);
  } else if (is("sampling_method", "gradient_based") ||
             (is("tree_method", "gpu_hist") && is_old(call))) {
    call.record(Action::nondeterministic, Reason::boosting_on_gpu, {value, value});
  }
  return call.real(booster, name, value);
}

using SetParameter = Call<int(void* booster, const char* name, const char* value)>;
constexpr Description takes_coordinates_in_turn = {
    .action = Action::replace,
    .fields = {"requested"_in, "effective"_out},
    .summary = "The linear booster is updated by coord_descent; what is not repeatable on a GPU is "
               "recorded.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(xgboost, SetParameter, XGBoosterSetParam, set_parameter,
                      takes_coordinates_in_turn);
