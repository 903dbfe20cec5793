// NCCL: one algorithm and one protocol for every reduction, in force before the first communicator.
//
// NCCL chooses among rings, trees and in-switch reductions by size, topology and measured bandwidths, and
// each adds in another order. The choice is bounded by environment variables, which it reads as a
// communicator is made.
#include "abi/nccl.h"
#include "core/settings.h"
#include "hooks/library_version.h"
#include "loader/hook.h"

#include <cstdlib>

namespace detshim {
namespace {

using namespace abi;

constexpr const char* window_setting = "NCCL_WIN_ENABLE";
constexpr const char* used_settings[] = {"NCCL_ALGO", "NCCL_PROTO", "NCCL_NVLS_ENABLE", "NCCL_COLLNET_ENABLE",
                                         window_setting};
/// Code of somebody else's that may choose instead.
constexpr const char* plugins[] = {"NCCL_TUNER_PLUGIN", "NCCL_ENV_PLUGIN"};
constinit uint32_t library_said = 0;

template <typename Call>
void say_library(const Call& call) {
  record_library_once(call.hook(), library_said, [&](auto& text) {
    int version = 0;
    auto* get_version = call.template beside<ncclResult(int*)>("ncclGetVersion");
    if (get_version != nullptr && get_version(&version) == ncclResult::success)
      text.add(static_cast<uint64_t>(version));
  });
}

bool is_good_now(const char* setting) {
  const char* value = getenv(setting);
  return value != nullptr && setting_is_good(setting, value);
}

/// Before NCCL reads them. The program may have changed them since the constructor set them.
template <typename Call>
void see_to_settings(const Call& call) {
  say_library(call);
  for (const char* name : used_settings) {
    if (const SettingChange* change = reapply_setting(name)) {
      call.record(Action::replace, "the program had undone it",
                  {name, change->was != nullptr ? change->was : "", change->now});
      continue;
    }
    const char* value = getenv(name);
    if (is_good_now(name))
      call.record(Action::observe, "one order of addition", {name, value, value});
    else
      call.record(Action::unfixed, "NCCL may choose by size and topology in which order it adds",
                  {name, value != nullptr ? value : "", ""});
  }
  for (const char* name : plugins)
    if (const char* value = getenv(name); value != nullptr && *value != 0)
      call.record(Action::unfixed, "a plugin may choose otherwise", {name, value, value});
}

constexpr const char* reduction_why = "ranks, channels and topology decide the order of addition";

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

#define DETSHIM_LIST(...) __VA_ARGS__

// What reads the settings: every way to a communicator.
#define DETSHIM_COMMUNICATOR(NAME, PARAMS, ARGUMENTS)                                                        \
  DETSHIM_HOOK(nccl, ncclResult, NAME, (DETSHIM_LIST PARAMS), .action = Action::replace,                     \
               .fields = {"variable", "asked", "given"},                                                     \
               .summary =                                                                                    \
                   "Sees that NCCL's variables bound the order of additions before NCCL reads them.") {      \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    if (!call.passes()) see_to_settings(call);                                                               \
    return call.real(DETSHIM_LIST ARGUMENTS);                                                                \
  }

DETSHIM_COMMUNICATOR(ncclGetUniqueId, (ncclUniqueId * id), (id))
DETSHIM_COMMUNICATOR(ncclCommInitRank, (ncclComm_t * communicator, int ranks, ncclUniqueId id, int rank),
                     (communicator, ranks, id, rank))
DETSHIM_COMMUNICATOR(ncclCommInitRankConfig,
                     (ncclComm_t * communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config),
                     (communicator, ranks, id, rank, config))
DETSHIM_COMMUNICATOR(ncclCommInitRankScalable,
                     (ncclComm_t * communicator, int ranks, int rank, int id_count, ncclUniqueId* ids,
                      ncclConfig_t* config),
                     (communicator, ranks, rank, id_count, ids, config))
DETSHIM_COMMUNICATOR(ncclCommInitAll, (ncclComm_t * communicators, int count, const int* devices),
                     (communicators, count, devices))
DETSHIM_COMMUNICATOR(ncclCommSplit,
                     (ncclComm_t communicator, int color, int key, ncclComm_t* fresh, ncclConfig_t* config),
                     (communicator, color, key, fresh, config))
DETSHIM_COMMUNICATOR(ncclCommShrink,
                     (ncclComm_t communicator, int* excluded, int excluded_count, ncclComm_t* fresh,
                      ncclConfig_t* config, int flags),
                     (communicator, excluded, excluded_count, fresh, config, flags))

DETSHIM_HOOK(nccl, ncclResult, ncclCommWindowRegister,
             (ncclComm_t communicator, void* memory, size_t size, ncclWindow_t* window, int flags),
             .action = Action::refuse, .fields = {"size", "flags"},
             .summary = "Recorded, refused in strict: kernels for registered windows ignore NCCL_ALGO.") {
  DETSHIM_ENTER_OUTERMOST(ncclCommWindowRegister);
  if (call.passes()) return call.real(communicator, memory, size, window, flags);
  say_library(call);
  const char* const why = "kernels for registered windows ignore NCCL_ALGO";
  if (options().strict()) {
    call.record(Action::refuse, why, {uint64_t{size}, flags});
    return ncclResult::invalid_usage;
  }
  if (is_good_now(window_setting))
    call.record(Action::observe, "NCCL_WIN_ENABLE=0 keeps windows out of use", {uint64_t{size}, flags});
  else
    call.record(Action::unfixed, why, {uint64_t{size}, flags});
  return call.real(communicator, memory, size, window, flags);
}

DETSHIM_HOOK(nccl, ncclResult, ncclAllReduce,
             (const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
              ncclComm_t communicator, cudaStream_t stream),
             .action = Action::observe, .fields = {"count", "type", "operation"},
             .summary = "Recorded: reductions that differ show when two logs are compared.") {
  DETSHIM_ENTER_OUTERMOST(ncclAllReduce);
  if (!call.passes()) {
    say_library(call);
    call.record(Action::observe, reduction_why,
                {uint64_t{count}, static_cast<int>(type), static_cast<int>(operation)});
  }
  return call.real(from, to, count, type, operation, communicator, stream);
}

DETSHIM_HOOK(nccl, ncclResult, ncclReduce,
             (const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation, int root,
              ncclComm_t communicator, cudaStream_t stream),
             .action = Action::observe, .fields = {"count", "type", "operation", "root"},
             .summary = "Recorded: reductions that differ show when two logs are compared.") {
  DETSHIM_ENTER_OUTERMOST(ncclReduce);
  if (!call.passes()) {
    say_library(call);
    call.record(Action::observe, reduction_why,
                {uint64_t{count}, static_cast<int>(type), static_cast<int>(operation), root});
  }
  return call.real(from, to, count, type, operation, root, communicator, stream);
}

DETSHIM_HOOK(nccl, ncclResult, ncclReduceScatter,
             (const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
              ncclComm_t communicator, cudaStream_t stream),
             .action = Action::observe, .fields = {"count", "type", "operation"},
             .summary = "Recorded: reductions that differ show when two logs are compared.") {
  DETSHIM_ENTER_OUTERMOST(ncclReduceScatter);
  if (!call.passes()) {
    say_library(call);
    call.record(Action::observe, reduction_why,
                {uint64_t{count}, static_cast<int>(type), static_cast<int>(operation)});
  }
  return call.real(from, to, count, type, operation, communicator, stream);
}

DETSHIM_HOOK(nccl, ncclResult, ncclRedOpCreatePreMulSum,
             (ncclRedOp * operation, void* scalar, ncclDataType type, ncclScalarResidence residence,
              ncclComm_t communicator),
             .action = Action::observe, .fields = {"type", "residence"},
             .summary = "Recorded: the sum of scaled values that the reductions after it name.") {
  DETSHIM_ENTER_OUTERMOST(ncclRedOpCreatePreMulSum);
  if (!call.passes()) {
    say_library(call);
    call.record(Action::observe, "a sum of scaled values",
                {static_cast<int>(type), static_cast<int>(residence)});
  }
  return call.real(operation, scalar, type, residence, communicator);
}
