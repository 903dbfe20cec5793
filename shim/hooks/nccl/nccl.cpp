// NCCL: one algorithm and one protocol for every reduction, in force before the first communicator.
//
// NCCL chooses among rings, trees and in-switch reductions by size, topology and measured
// bandwidths, and each adds in another order. The choice is bounded by environment variables, which
// it reads as a communicator is made.
#include "abi/nccl.h"
#include "common/run_variable.h"
#include "common/sys.h"
#include "core/policy/nccl_algorithms.h"
#include "core/policy/settings.h"
#include "core/policy/settings_table.h"
#include "hooks/digests/nccl/collectives.h"
#include "loader/hook.h"

#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

using namespace abi;

constexpr const char* window_setting = "NCCL_WIN_ENABLE";
constexpr const char* used_settings[] = {"NCCL_ALGO",
                                         "NCCL_PROTO",
                                         "NCCL_NVLS_ENABLE",
                                         "NCCL_COLLNET_ENABLE",
                                         "NCCL_SYM_NOWIN_ENABLE",
                                         "NCCL_SYM_KERNEL",
                                         window_setting};
/// Code of somebody else's that may choose instead.
constexpr const char* plugins[] = {"NCCL_TUNER_PLUGIN", "NCCL_ENV_PLUGIN"};
constexpr const char* file_variable = "NCCL_CONF_FILE";
constexpr const char* system_file = "/etc/nccl.conf";

bool is_deterministic_now(const char* setting) {
  return setting_is_good(setting, environment_value(setting));
}

/// Before NCCL reads them. The program may have changed them since the constructor set them.
template <typename Call>
void force_settings(const Call& call) {
  for (const char* name : used_settings) {
    if (const SettingChange* change = reapply_setting(name)) {
      call.record(Action::replace, Reason::setting_restored,
                  {name, change->was != nullptr ? change->was : "", change->now});
      continue;
    }
    const char* value = environment_value(name);
    if (is_deterministic_now(name)) {
      if (value != nullptr)
        call.record(Action::observe, Reason::one_order, {name, value, value});
    } else {
      call.record(Action::nondeterministic, Reason::order_by_topology,
                  {name, value != nullptr ? value : "", ""});
    }
  }
  // Files that NCCL takes further variables from, at its first call: it sets them where they are
  // unset.
  const char* named = environment_value(file_variable);
  for (const char* path : {named, system_file})
    if (path != nullptr && *path != 0 &&
        sys::call(SYS_faccessat, AT_FDCWD, sys::address(path), R_OK) == 0)
      call.record(Action::observe, Reason::further_variables,
                  {path == named ? file_variable : "", path, path});
}

/// After the call, because a file may name them, ~/.nccl.conf too.
template <typename Call>
void record_plugins(const Call& call) {
  for (const char* name : plugins)
    if (const char* value = environment_value(name); value != nullptr && *value != 0)
      call.record(Action::nondeterministic, Reason::plugin, {name, value, value});
}

/// True if NCCL has taken the call; it may go on with it after it has returned.
bool is_taken(ncclResult result) {
  return result == ncclResult::success || result == ncclResult::in_progress;
}

// What reads the settings: every way to a communicator.

template <typename Call, typename... Arguments>
ncclResult make_communicator(const Call& call, Arguments... arguments) {
  if (call.passes())
    return call.real(arguments...);
  force_settings(call);
  const ncclResult result = call.real(arguments...);
  record_plugins(call);
  return result;
}

template <typename Call>
ncclResult register_window(const Call& call, ncclComm_t communicator, void* memory, size_t size,
                           ncclWindow_t* window, int flags) {
  if (call.passes())
    return call.real(communicator, memory, size, window, flags);
  const bool out_of_use = is_deterministic_now(window_setting);
  constexpr Reason why = Reason::window_kernels;
  if (!out_of_use && options().strict()) {
    call.record(Action::refuse, why, {uint64_t{size}, flags});
    return ncclResult::invalid_usage;
  }
  const ncclResult result = call.real(communicator, memory, size, window, flags);
  if (!is_taken(result))
    return result;
  if (out_of_use)
    call.record(Action::observe, Reason::windows_unused, {uint64_t{size}, flags});
  else
    call.record(Action::nondeterministic, why, {uint64_t{size}, flags});
  return result;
}

/// ncclAllReduce, ncclReduceScatter, and ncclReduce, which has a root.
template <auto buffers, typename Call, typename... Arguments>
ncclResult reduce(const Call& call, Arguments... arguments) {
  const ncclResult result = collect<buffers>(call, arguments...);
  if (call.passes() || !is_taken(result))
    return result;
  const auto count = argument_of_type<size_t>(arguments...);
  const auto type = static_cast<int>(argument_of_type<ncclDataType>(arguments...));
  const auto operation = static_cast<int>(argument_of_type<ncclRedOp>(arguments...));
  if constexpr ((__is_same(Arguments, int) || ...))
    call.record(Action::observe, Reason::order_by_topology,
                {uint64_t{count}, type, operation, argument_of_type<int>(arguments...)});
  else
    call.record(Action::observe, Reason::order_by_topology, {uint64_t{count}, type, operation});
  return result;
}

// Reductions with a configuration of their own (NCCL 2.31), in which the program may name
// algorithms for this call alone: they go before NCCL_ALGO.

/// True if the configuration names algorithms that leave the order of addition to NCCL. Of another
/// form than this one nothing is known.
bool selects_several_orders(const ncclCollConfig_t* config) {
  if (config == nullptr || config->magic != nccl_config_magic)
    return false;
  if (config->size < offsetof(ncclCollConfig_t, algSelection) + sizeof(char*))
    return false;
  const char* const selection = config->algSelection;
  return selection != nullptr && *selection != 0 && !is_one_order(selection);
}

/// A configuration without its selection, so that NCCL_ALGO counts; of any later form too, as far
/// as it fits.
class WithoutSelection {
public:
  /// nullptr if it is too large.
  const ncclCollConfig_t* of(const ncclCollConfig_t* config) {
    if (config->size > sizeof bytes_)
      return nullptr;
    __builtin_memcpy(bytes_, config, config->size);
    auto* const copy = reinterpret_cast<ncclCollConfig_t*>(bytes_);
    copy->algSelection = nullptr;
    return copy;
  }

private:
  alignas(ncclCollConfig_t) char bytes_[256];
};

/// The same with a configuration.
template <auto buffers, typename Call, typename... Arguments>
ncclResult reduce_configured(const Call& call, Arguments... arguments) {
  if (call.passes())
    return call.real(arguments...);
  const ncclCollConfig_t*& config = argument_of_type<const ncclCollConfig_t*>(arguments...);
  const bool is_several = selects_several_orders(config);
  const char* const selection = is_several ? config->algSelection : "";
  WithoutSelection storage;
  const ncclCollConfig_t* const effective =
      is_several && options().forces() ? storage.of(config) : nullptr;
  if (effective != nullptr)
    config = effective;
  const ncclResult result = collect<buffers>(call, arguments...);
  if (!is_taken(result))
    return result;
  const Action action = !is_several            ? Action::observe
                        : effective != nullptr ? Action::replace
                                               : Action::nondeterministic;
  call.record(action, is_several ? Reason::algorithm_selection : Reason::order_by_topology,
              {uint64_t{argument_of_type<size_t>(arguments...)},
               static_cast<int>(argument_of_type<ncclDataType>(arguments...)),
               static_cast<int>(argument_of_type<ncclRedOp>(arguments...)), selection});
  return result;
}

constexpr Description bounds_additions = {
    .action = Action::replace,
    .fields = {"variable"_in, "requested"_in, "effective"_out},
    .summary = "Sees that NCCL's variables bound the order of additions before NCCL reads them.",
};
constexpr Description refuses_windows = {
    .action = Action::refuse,
    .fields = {"size"_in, "flags"_in},
    .summary = "Recorded, refused in strict: kernels for registered windows ignore NCCL_ALGO.",
};
constexpr Description records_reduction = {
    .action = Action::observe,
    .fields = {"count"_in, "type"_in, "operation"_in},
    .summary = "Recorded: reductions that differ show when two logs are compared.",
};
constexpr Description records_rooted_reduction = {
    .action = Action::observe,
    .fields = {"count"_in, "type"_in, "operation"_in, "root"_in},
    .summary = "Recorded: reductions that differ show when two logs are compared.",
};
constexpr Description bounds_configured_reduction = {
    .action = Action::replace,
    .fields = {"count"_in, "type"_in, "operation"_in, "selection"_in},
    .summary = "Takes away a selection of algorithms, of this call alone, that would add in "
               "several orders.",
};
template <int count>
using Words = CallOfWords<ncclResult, count>;
// The name is a structure, which is handed over by itself.
using InitRank = OutermostCall<ncclResult(Word, Word, ncclUniqueId id, Word)>;
using InitRankConfig = OutermostCall<ncclResult(Word, Word, ncclUniqueId id, Word, Word)>;
using WindowRegister = OutermostCall<ncclResult(ncclComm_t communicator, void* memory, size_t size,
                                                ncclWindow_t* window, int flags)>;
using Config = const ncclCollConfig_t*;

} // namespace
} // namespace detshim

using namespace detshim;

#define BOTH_NAMES(NAME, GUARD, BODY, DESCRIPTION)                                                 \
  DETSHIM_TEMPLATE_HOOKS(nccl, GUARD, NAME, p##NAME, BODY, DESCRIPTION)

BOTH_NAMES(ncclGetUniqueId, Words<1>, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommInitRank, InitRank, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommInitRankConfig, InitRankConfig, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommInitRankScalable, Words<6>, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommInitAll, Words<3>, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommSplit, Words<5>, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommShrink, Words<6>, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommGetUniqueId, Words<2>, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommGrow, Words<6>, make_communicator, bounds_additions);
BOTH_NAMES(ncclCommWindowRegister, WindowRegister, register_window, refuses_windows);
DETSHIM_COLLECTIVE(ncclAllReduce, reduce, records_reduction, reduced_to_all<>);
DETSHIM_COLLECTIVE(ncclReduce, reduce, records_rooted_reduction, reduced_to_root<>);
DETSHIM_COLLECTIVE(ncclReduceScatter, reduce, records_reduction, reduced_to_all<>);
DETSHIM_COLLECTIVE(ncclAllReduceConfig, reduce_configured, bounds_configured_reduction,
                   reduced_to_all<Config>);
DETSHIM_COLLECTIVE(ncclReduceConfig, reduce_configured, bounds_configured_reduction,
                   reduced_to_root<Config>);
DETSHIM_COLLECTIVE(ncclReduceScatterConfig, reduce_configured, bounds_configured_reduction,
                   reduced_to_all<Config>);
