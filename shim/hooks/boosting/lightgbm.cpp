// LightGBM: whether histograms are built by rows or by columns is chosen by a clock, and the two add in other
// orders (Dataset::GetShareStates, src/io/dataset.cpp); gradients are summed in the order in which threads
// come unless `deterministic` is set (src/treelearner/leaf_splits.hpp, src/objective/). A booster is given
// `deterministic=true` and `force_row_wise=true` where the program says nothing of them.
//
// Both are parameters of a booster: data sets are made without, and one that gets others later keeps them.
//
// Signature: LightGBM/c_api.h, 2.3 to 4.7; Parameters.rst, `deterministic` (from 3.1 on, for `cpu` alone).
#include "common/text.h"
#include "loader/hook.h"

namespace detshim {
namespace {

/// What the parameter is in `a=1 b=2`, at white space's end; nullptr where it is not among them.
const char* value_of(const char* parameters, const char* name) {
  for (const char* at = parameters; *at != 0; ++at)
    if ((at == parameters || at[-1] <= ' ') && starts_with(at, name) && at[text_length(name)] == '=')
      return at + text_length(name) + 1;
  return nullptr;
}

bool is_yes(const char* value) { // Config::GetBool
  return value != nullptr && (*value == 't' || *value == 'T' || *value == '1' || *value == '+');
}

template <typename Call>
int create_booster(const Call& call, const void* data, const char* parameters, void* booster) {
  constexpr size_t longest = 65536;
  if (call.passes() || parameters == nullptr) return call.real(data, parameters, booster);
  if (text_length(parameters) > longest) {
    call.record(Action::nondeterministic, Reason::boosting_timed, {"too long", "too long"});
    return call.real(data, parameters, booster);
  }
  const char* device = value_of(parameters, "device_type");
  if (device == nullptr) device = value_of(parameters, "device"); // its alias
  const char* const rows = value_of(parameters, "force_row_wise");
  const char* const columns = value_of(parameters, "force_col_wise");
  const char* const asked = value_of(parameters, "deterministic");
  const bool is_on_gpu = device != nullptr && !starts_with(device, "cpu");
  const bool may_choose = options().forces() && !is_on_gpu;
  const bool adds_switch = may_choose && asked == nullptr;
  const bool adds_way = may_choose && rows == nullptr && columns == nullptr;
  const bool is_fixed =
      !is_on_gpu && (adds_switch || is_yes(asked)) && (adds_way || is_yes(rows) || is_yes(columns));
  char given[longest + 64];
  char* end = given;
  for (const char* part :
       {parameters, adds_switch ? " deterministic=true" : "", adds_way ? " force_row_wise=true" : ""}) {
    __builtin_memcpy(end, part, text_length(part) + 1);
    end += text_length(part);
  }
  const char* const requested = asked == nullptr ? "unset" : is_yes(asked) ? "true" : "false";
  if (!is_fixed)
    call.record(Action::nondeterministic, is_on_gpu ? Reason::boosting_on_gpu : Reason::boosting_timed,
                {requested, adds_switch ? "true" : requested});
  else if (adds_switch || adds_way)
    call.record(Action::replace, Reason::boosting_timed, {requested, "true"});
  return call.real(data, given, booster);
}

using CreateBooster = Call<int(const void* data, const char* parameters, void* booster)>;
constexpr Description is_made_deterministic = {
    .action = Action::replace,
    .fields = {"requested", "effective"},
    .summary = "A booster trains with deterministic=true and force_row_wise=true unless it was given others.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(lightgbm, CreateBooster, LGBM_BoosterCreate, create_booster, is_made_deterministic);
