// NCCL: one algorithm and one protocol for every reduction, in force before the first communicator.
//
// NCCL chooses among rings, trees and in-switch reductions by size, topology and measured bandwidths, and
// each adds in another order. The choice is bounded by environment variables, which it reads as a
// communicator is made.
#include "abi/nccl.h"
#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/policy/nccl_algorithms.h"
#include "core/policy/settings.h"
#include "core/policy/settings_table.h"
#include "hooks/nccl/outputs.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

using namespace abi;

constexpr const char* window_setting = "NCCL_WIN_ENABLE";
constexpr const char* used_settings[] = {
    "NCCL_ALGO",       "NCCL_PROTO",  "NCCL_NVLS_ENABLE", "NCCL_COLLNET_ENABLE", "NCCL_SYM_NOWIN_ENABLE",
    "NCCL_SYM_KERNEL", window_setting};
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
  record_library_once(call, nccl_library);
  for (const char* name : used_settings) {
    if (const SettingChange* change = reapply_setting(name)) {
      call.record(Action::replace, Reason::setting_restored,
                  {name, change->was != nullptr ? change->was : "", change->now});
      continue;
    }
    const char* value = environment_value(name);
    if (is_deterministic_now(name)) {
      if (value != nullptr) call.record(Action::observe, Reason::one_order, {name, value, value});
    } else {
      call.record(Action::unfixed, Reason::order_by_topology, {name, value != nullptr ? value : "", ""});
    }
  }
  // Files that NCCL takes further variables from, at its first call: it sets them where they are unset.
  const char* named = environment_value(file_variable);
  for (const char* path : {named, system_file})
    if (path != nullptr && *path != 0 && sys::call(SYS_faccessat, AT_FDCWD, sys::address(path), R_OK) == 0)
      call.record(Action::observe, Reason::further_variables,
                  {path == named ? file_variable : "", path, path});
}

/// After the call, because a file may name them, ~/.nccl.conf too.
template <typename Call>
void record_plugins(const Call& call) {
  for (const char* name : plugins)
    if (const char* value = environment_value(name); value != nullptr && *value != 0)
      call.record(Action::unfixed, Reason::plugin, {name, value, value});
}

/// A field of ncclConfig_t that goes before its variable, or takes part in choosing channels and algorithms.
struct Field {
  const char* name;
  size_t offset;
};
constexpr Field fields[] = {
    {"ncclConfig_t.cgaClusterSize", offsetof(ncclConfig_t, cgaClusterSize)},
    {"ncclConfig_t.minCTAs", offsetof(ncclConfig_t, minCTAs)},
    {"ncclConfig_t.maxCTAs", offsetof(ncclConfig_t, maxCTAs)},
    {"ncclConfig_t.splitShare", offsetof(ncclConfig_t, splitShare)},
    {"ncclConfig_t.collnetEnable", offsetof(ncclConfig_t, collnetEnable)},
    {"ncclConfig_t.CTAPolicy", offsetof(ncclConfig_t, CTAPolicy)},
    {"ncclConfig_t.shrinkShare", offsetof(ncclConfig_t, shrinkShare)},
    {"ncclConfig_t.nvlsCTAs", offsetof(ncclConfig_t, nvlsCTAs)},
    {"ncclConfig_t.nChannelsPerNetPeer", offsetof(ncclConfig_t, nChannelsPerNetPeer)},
    {"ncclConfig_t.nvlinkCentricSched", offsetof(ncclConfig_t, nvlinkCentricSched)},
    {"ncclConfig_t.graphUsageMode", offsetof(ncclConfig_t, graphUsageMode)},
    {"ncclConfig_t.numRmaCtx", offsetof(ncclConfig_t, numRmaCtx)},
    {"ncclConfig_t.maxP2pPeers", offsetof(ncclConfig_t, maxP2pPeers)},
    {"ncclConfig_t.graphStreamOrdering", offsetof(ncclConfig_t, graphStreamOrdering)},
    {"ncclConfig_t.launchOrderImplicit", offsetof(ncclConfig_t, launchOrderImplicit)},
    {"ncclConfig_t.numRmaSig", offsetof(ncclConfig_t, numRmaSig)},
    {"ncclConfig_t.rmaEagerInit", offsetof(ncclConfig_t, rmaEagerInit)},
    {"ncclConfig_t.hostCftMode", offsetof(ncclConfig_t, hostCftMode)},
    {"ncclConfig_t.nvlsHostMode", offsetof(ncclConfig_t, nvlsHostMode)},
};

/// What the program sets in a communicator's configuration. Constant, so it repeats; but it is nowhere else
/// to be seen why two machines or versions of a program differ.
template <typename Call>
void force_config(const Call& call, const ncclConfig_t* config) {
  if (config == nullptr || config->magic != nccl_config_magic) return;
  constexpr Reason why = Reason::choosing_variable;
  for (const Field& field : fields) {
    if (config->size < field.offset + sizeof(int)) continue;
    int value;
    __builtin_memcpy(&value, reinterpret_cast<const char*>(config) + field.offset, sizeof value);
    if (value != nccl_config_unset) call.record(Action::observe, why, {field.name, value, value});
  }
  if (config->size >= offsetof(ncclConfig_t, netName) + sizeof(char*) && config->netName != nullptr)
    call.record(Action::observe, why, {"ncclConfig_t.netName", config->netName, config->netName});
}

/// The same for an argument of a call, where it is the configuration.
template <typename Call, typename Argument>
void force_config_argument(const Call& call, Argument argument) {
  if constexpr (__is_same(Argument, ncclConfig_t*)) force_config(call, argument);
}

/// True if NCCL has taken the call; it may go on with it after it has returned.
bool is_taken(ncclResult result) {
  return result == ncclResult::success || result == ncclResult::in_progress;
}

// What reads the settings: every way to a communicator.

template <typename Call, typename... Arguments>
ncclResult make_communicator(const Call& call, Arguments... arguments) {
  if (call.passes()) return call.real(arguments...);
  force_settings(call);
  const ncclResult result = call.real(arguments...);
  record_plugins(call);
  if (is_taken(result)) (force_config_argument(call, arguments), ...);
  return result;
}

template <typename Call>
ncclResult register_window(const Call& call, ncclComm_t communicator, void* memory, size_t size,
                           ncclWindow_t* window, int flags) {
  if (call.passes()) return call.real(communicator, memory, size, window, flags);
  record_library_once(call, nccl_library);
  const bool out_of_use = is_deterministic_now(window_setting);
  constexpr Reason why = Reason::window_kernels;
  if (!out_of_use && options().strict()) {
    call.record(Action::refuse, why, {uint64_t{size}, flags});
    return ncclResult::invalid_usage;
  }
  const ncclResult result = call.real(communicator, memory, size, window, flags);
  if (!is_taken(result)) return result;
  if (out_of_use)
    call.record(Action::observe, Reason::windows_unused, {uint64_t{size}, flags});
  else
    call.record(Action::unfixed, why, {uint64_t{size}, flags});
  return result;
}

/// The buffers of ncclAllReduce, or, where the hook is of that, of ncclReduceScatter, whose count is that of
/// a share.
template <typename Call>
Collective all_reduced(const Call& call, const void* from, void* to, size_t count, ncclDataType type,
                       ncclRedOp operation, ncclComm_t communicator, cudaStream_t stream) {
  const bool is_shared_out = contains(call.hook().info().name, "ReduceScatter");
  return {from,
          is_shared_out ? for_all_ranks(call, communicator, count) : count,
          to,
          count,
          type,
          stream,
          static_cast<int>(operation)};
}

/// Those of a reduction whose result one rank has.
template <typename Call>
Collective root_reduced(const Call& call, const void* from, void* to, size_t count, ncclDataType type,
                        ncclRedOp operation, int root, ncclComm_t communicator, cudaStream_t stream) {
  return {from,
          count,
          to,
          by_rank(call, communicator, root, count, 0),
          type,
          stream,
          static_cast<int>(operation)};
}

/// ncclAllReduce and ncclReduceScatter.
template <typename Call>
ncclResult reduce_to_all(const Call& call, const void* from, void* to, size_t count, ncclDataType type,
                         ncclRedOp operation, ncclComm_t communicator, cudaStream_t stream) {
  const ncclResult result = print_collective(
      call, [&] { return all_reduced(call, from, to, count, type, operation, communicator, stream); },
      [&] { return call.real(from, to, count, type, operation, communicator, stream); });
  if (call.passes()) return result;
  record_library_once(call, nccl_library);
  if (is_taken(result))
    call.record(Action::observe, Reason::order_by_topology,
                {uint64_t{count}, static_cast<int>(type), static_cast<int>(operation)});
  return result;
}

template <typename Call>
ncclResult reduce_to_root(const Call& call, const void* from, void* to, size_t count, ncclDataType type,
                          ncclRedOp operation, int root, ncclComm_t communicator, cudaStream_t stream) {
  const ncclResult result = print_collective(
      call, [&] { return root_reduced(call, from, to, count, type, operation, root, communicator, stream); },
      [&] { return call.real(from, to, count, type, operation, root, communicator, stream); });
  if (call.passes()) return result;
  record_library_once(call, nccl_library);
  if (is_taken(result))
    call.record(Action::observe, Reason::order_by_topology,
                {uint64_t{count}, static_cast<int>(type), static_cast<int>(operation), root});
  return result;
}

// Reductions with a configuration of their own (NCCL 2.31), in which the program may name algorithms for this
// call alone: they go before NCCL_ALGO.

/// True if the configuration names algorithms that leave the order of addition to NCCL. Of another form than
/// this one nothing is known.
bool selects_several_orders(const ncclCollConfig_t* config) {
  if (config == nullptr || config->magic != nccl_config_magic) return false;
  if (config->size < offsetof(ncclCollConfig_t, algSelection) + sizeof(char*)) return false;
  const char* const selection = config->algSelection;
  return selection != nullptr && *selection != 0 && !is_one_order(selection);
}

/// A configuration without its selection, so that NCCL_ALGO counts; of any later form too, as far as it fits.
class WithoutSelection {
public:
  /// nullptr if it is too large.
  const ncclCollConfig_t* of(const ncclCollConfig_t* config) {
    if (config->size > sizeof bytes_) return nullptr;
    __builtin_memcpy(bytes_, config, config->size);
    auto* const copy = reinterpret_cast<ncclCollConfig_t*>(bytes_);
    copy->algSelection = nullptr;
    return copy;
  }

private:
  alignas(ncclCollConfig_t) char bytes_[256];
};

/// Calls `run(configuration)`, which hands it to the library.
template <typename Call, typename Run>
ncclResult reduce_configured(const Call& call, const ncclCollConfig_t* config, size_t count,
                             ncclDataType type, ncclRedOp operation, Run run) {
  if (call.passes()) return run(config);
  record_library_once(call, nccl_library);
  const auto record = [&](Action action, Reason why, const char* selection) {
    call.record(action, why,
                {uint64_t{count}, static_cast<int>(type), static_cast<int>(operation), selection});
  };
  if (!selects_several_orders(config)) {
    const ncclResult result = run(config);
    if (is_taken(result)) record(Action::observe, Reason::order_by_topology, "");
    return result;
  }
  WithoutSelection storage;
  const ncclCollConfig_t* const given = options().forces() ? storage.of(config) : nullptr;
  const char* const selection = config->algSelection;
  const ncclResult result = run(given != nullptr ? given : config);
  if (!is_taken(result)) return result;
  if (given != nullptr)
    record(Action::replace, Reason::algorithm_selection, selection);
  else
    record(Action::unfixed, Reason::algorithm_selection, selection);
  return result;
}

/// ncclAllReduceConfig and ncclReduceScatterConfig.
template <typename Call>
ncclResult reduce_to_all_configured(const Call& call, const void* from, void* to, size_t count,
                                    ncclDataType type, ncclRedOp operation, ncclComm_t communicator,
                                    cudaStream_t stream, const ncclCollConfig_t* config) {
  return reduce_configured(call, config, count, type, operation, [&](const ncclCollConfig_t* given) {
    return print_collective(
        call, [&] { return all_reduced(call, from, to, count, type, operation, communicator, stream); },
        [&] { return call.real(from, to, count, type, operation, communicator, stream, given); });
  });
}

template <typename Call>
ncclResult reduce_to_root_configured(const Call& call, const void* from, void* to, size_t count,
                                     ncclDataType type, ncclRedOp operation, int root,
                                     ncclComm_t communicator, cudaStream_t stream,
                                     const ncclCollConfig_t* config) {
  return reduce_configured(call, config, count, type, operation, [&](const ncclCollConfig_t* given) {
    return print_collective(
        call,
        [&] { return root_reduced(call, from, to, count, type, operation, root, communicator, stream); },
        [&] { return call.real(from, to, count, type, operation, root, communicator, stream, given); });
  });
}

template <typename Call>
ncclResult make_scaled_sum(const Call& call, ncclRedOp* operation, void* scalar, ncclDataType type,
                           ncclScalarResidence residence, ncclComm_t communicator) {
  const ncclResult result = call.real(operation, scalar, type, residence, communicator);
  if (call.passes()) return result;
  record_library_once(call, nccl_library);
  if (is_taken(result))
    call.record(Action::observe, Reason::scaled_sum, {static_cast<int>(type), static_cast<int>(residence)});
  return result;
}

constexpr Description bounds_additions = {
    .action = Action::replace,
    .fields = {"variable", "asked", "given"},
    .summary = "Sees that NCCL's variables bound the order of additions before NCCL reads them.",
};
constexpr Description refuses_windows = {
    .action = Action::refuse,
    .fields = {"size", "flags"},
    .summary = "Recorded, refused in strict: kernels for registered windows ignore NCCL_ALGO.",
};
constexpr Description records_reduction = {
    .action = Action::observe,
    .fields = {"count", "type", "operation"},
    .summary = "Recorded: reductions that differ show when two logs are compared.",
};
constexpr Description records_rooted_reduction = {
    .action = Action::observe,
    .fields = {"count", "type", "operation", "root"},
    .summary = "Recorded: reductions that differ show when two logs are compared.",
};
constexpr Description bounds_configured_reduction = {
    .action = Action::replace,
    .fields = {"count", "type", "operation", "selection"},
    .summary = "Takes away a selection of algorithms, of this call alone, that would add in several orders.",
};
constexpr Description records_scaled_sum = {
    .action = Action::observe,
    .fields = {"type", "residence"},
    .summary = "Recorded: the sum of scaled values that the reductions after it name.",
};

using GetUniqueId = OutermostCall<ncclResult(ncclUniqueId* id)>;
using InitRank = OutermostCall<ncclResult(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank)>;
using InitRankConfig = OutermostCall<ncclResult(ncclComm_t* communicator, int ranks, ncclUniqueId id,
                                                int rank, ncclConfig_t* config)>;
using InitRankScalable = OutermostCall<ncclResult(ncclComm_t* communicator, int ranks, int rank, int id_count,
                                                  ncclUniqueId* ids, ncclConfig_t* config)>;
using InitAll = OutermostCall<ncclResult(ncclComm_t* communicators, int count, const int* devices)>;
using Split = OutermostCall<ncclResult(ncclComm_t communicator, int color, int key, ncclComm_t* fresh,
                                       ncclConfig_t* config)>;
using Shrink = OutermostCall<ncclResult(ncclComm_t communicator, int* excluded, int excluded_count,
                                        ncclComm_t* fresh, ncclConfig_t* config, int flags)>;
using CommGetUniqueId = OutermostCall<ncclResult(ncclComm_t communicator, ncclUniqueId* id)>;
using Grow = OutermostCall<ncclResult(ncclComm_t communicator, int ranks, const ncclUniqueId* id, int rank,
                                      ncclComm_t* fresh, ncclConfig_t* config)>;
using WindowRegister = OutermostCall<ncclResult(ncclComm_t communicator, void* memory, size_t size,
                                                ncclWindow_t* window, int flags)>;
using AllReduce =
    OutermostCall<ncclResult(const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
                             ncclComm_t communicator, cudaStream_t stream)>;
using Reduce =
    OutermostCall<ncclResult(const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
                             int root, ncclComm_t communicator, cudaStream_t stream)>;
using AllReduceConfig =
    OutermostCall<ncclResult(const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
                             ncclComm_t communicator, cudaStream_t stream, const ncclCollConfig_t* config)>;
using ReduceConfig = OutermostCall<ncclResult(const void* from, void* to, size_t count, ncclDataType type,
                                              ncclRedOp operation, int root, ncclComm_t communicator,
                                              cudaStream_t stream, const ncclCollConfig_t* config)>;
using CreatePreMulSum = OutermostCall<ncclResult(ncclRedOp* operation, void* scalar, ncclDataType type,
                                                 ncclScalarResidence residence, ncclComm_t communicator)>;

} // namespace
} // namespace detshim

using namespace detshim;

// Every function has a second name, by which profilers that stand in front of the first call it.

DETSHIM_TEMPLATE_HOOK(nccl, GetUniqueId, ncclGetUniqueId, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, GetUniqueId, pncclGetUniqueId, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitRank, ncclCommInitRank, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitRank, pncclCommInitRank, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitRankConfig, ncclCommInitRankConfig, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitRankConfig, pncclCommInitRankConfig, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitRankScalable, ncclCommInitRankScalable, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitRankScalable, pncclCommInitRankScalable, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitAll, ncclCommInitAll, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, InitAll, pncclCommInitAll, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, Split, ncclCommSplit, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, Split, pncclCommSplit, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, Shrink, ncclCommShrink, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, Shrink, pncclCommShrink, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, CommGetUniqueId, ncclCommGetUniqueId, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, CommGetUniqueId, pncclCommGetUniqueId, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, Grow, ncclCommGrow, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, Grow, pncclCommGrow, make_communicator, bounds_additions);
DETSHIM_TEMPLATE_HOOK(nccl, WindowRegister, ncclCommWindowRegister, register_window, refuses_windows);
DETSHIM_TEMPLATE_HOOK(nccl, WindowRegister, pncclCommWindowRegister, register_window, refuses_windows);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduce, ncclAllReduce, reduce_to_all, records_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduce, pncclAllReduce, reduce_to_all, records_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, Reduce, ncclReduce, reduce_to_root, records_rooted_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, Reduce, pncclReduce, reduce_to_root, records_rooted_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduce, ncclReduceScatter, reduce_to_all, records_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduce, pncclReduceScatter, reduce_to_all, records_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduceConfig, ncclAllReduceConfig, reduce_to_all_configured,
                      bounds_configured_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduceConfig, pncclAllReduceConfig, reduce_to_all_configured,
                      bounds_configured_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, ReduceConfig, ncclReduceConfig, reduce_to_root_configured,
                      bounds_configured_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, ReduceConfig, pncclReduceConfig, reduce_to_root_configured,
                      bounds_configured_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduceConfig, ncclReduceScatterConfig, reduce_to_all_configured,
                      bounds_configured_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, AllReduceConfig, pncclReduceScatterConfig, reduce_to_all_configured,
                      bounds_configured_reduction);
DETSHIM_TEMPLATE_HOOK(nccl, CreatePreMulSum, ncclRedOpCreatePreMulSum, make_scaled_sum, records_scaled_sum);
DETSHIM_TEMPLATE_HOOK(nccl, CreatePreMulSum, pncclRedOpCreatePreMulSum, make_scaled_sum, records_scaled_sum);
