// LightGBM: whether histograms are built by rows or by columns is chosen by a clock, and the two
// add in other orders (Dataset::GetShareStates, src/io/dataset.cpp); gradients are summed in the
// order in which threads come unless `deterministic` is set (src/treelearner/leaf_splits.hpp,
// src/objective/). A booster is given `deterministic=true` and `force_row_wise=true` where the
// program says nothing of them.
//
// Both are parameters of a booster: data sets are made without, and one that gets others later
// keeps them.
//
// Signature: LightGBM/c_api.h, 2.3 to 4.7; Parameters.rst, `deterministic` (from 3.1 on, for `cpu`
// alone).
#include "common/text.h"
#include "loader/hook.h"

namespace detshim {
namespace {

/// What the parameter is in `a=1 b=2`, at white space's end; nullptr where it is not among them.
const char* value_of(const char* parameters, const char* name) {
  for (const char* at = parameters; *at != 0; ++at)
    if ((at == parameters || at[-1] <= ' ') && starts_with(at, name) &&
        at[text_length(name)] == '=')
      return at + text_length(name) + 1;
  return nullptr;
}

bool is_yes(const char* value) { // Config::GetBool
  return value != nullptr && (*value == 't' || *value == 'T' || *value == '1' || *value == '+');
}

constexpr size_t longest_parameters = 65536;

/// What a booster is to be given besides its parameters.
class Booster {
public:
  explicit Booster(const char* parameters) {
    device_ = value_of(parameters, "device_type");
    if (device_ == nullptr)
      device_ = value_of(parameters, "device"); // its alias
    rows_ = value_of(parameters, "force_row_wise");
    columns_ = value_of(parameters, "force_col_wise");
    deterministic_ = value_of(parameters, "deterministic");
    const bool may_choose = options().forces() && !is_on_gpu();
    adds_switch = may_choose && deterministic_ == nullptr;
    adds_way = may_choose && rows_ == nullptr && columns_ == nullptr;
  }

  bool is_on_gpu() const { return device_ != nullptr && !starts_with(device_, "cpu"); }

  /// True if it adds in one order.
  bool is_fixed() const {
    if (is_on_gpu())
      return false;
    const bool is_deterministic = adds_switch || is_yes(deterministic_);
    const bool has_way = adds_way || is_yes(rows_) || is_yes(columns_);
    return is_deterministic && has_way;
  }

  /// What the program says of `deterministic`.
  const char* requested() const {
    if (deterministic_ == nullptr)
      return "unset";
    return is_yes(deterministic_) ? "true" : "false";
  }

  bool adds_switch; ///< deterministic=true
  bool adds_way;    ///< force_row_wise=true

private:
  const char* device_;
  const char* rows_;
  const char* columns_;
  const char* deterministic_;
};

template <typename Call>
void record_booster(const Call& call, const Booster& booster) {
  const char* const requested = booster.requested();
  if (!booster.is_fixed())
    call.record(Action::nondeterministic,
                booster.is_on_gpu() ? Reason::boosting_on_gpu : Reason::boosting_timed,
                {requested, booster.adds_switch ? "true" : requested});
  else if (booster.adds_switch || booster.adds_way)
    call.record(Action::replace, Reason::boosting_timed, {requested, "true"});
}

template <typename Call>
int create_booster(const Call& call, const void* data, const char* parameters, void* booster) {
  if (call.passes() || parameters == nullptr)
    return call.real(data, parameters, booster);
  if (text_length(parameters) > longest_parameters) {
    call.record(Action::nondeterministic, Reason::boosting_timed, {"too long", "too long"});
    return call.real(data, parameters, booster);
  }
  const Booster wanted(parameters);
  record_booster(call, wanted);
  char given[longest_parameters + 64];
  char* end = given;
  for (const char* part : {parameters, wanted.adds_switch ? " deterministic=true" : "",
                           wanted.adds_way ? " force_row_wise=true" : ""}) {
    __builtin_memcpy(end, part, text_length(part) + 1);
    end += text_length(part);
  }
  return call.real(data, given, booster);
}

using CreateBooster = Call<int(const void* data, const char* parameters, void* booster)>;
constexpr Description is_made_deterministic = {
    .action = Action::replace,
    .fields = {"requested"_in, "effective"_out},
    .summary = "A booster trains with deterministic=true and force_row_wise=true unless it was "
               "given others.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(lightgbm, CreateBooster, LGBM_BoosterCreate, create_booster,
                      is_made_deterministic);
