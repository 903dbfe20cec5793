// NCCL: one algorithm and one protocol for every reduction, in force before the first communicator.
//
// NCCL chooses among rings, trees and in-switch reductions by size, topology and measured bandwidths, and
// each adds in another order. The choice is bounded by environment variables, which it reads as a
// communicator is made.
#include "abi/nccl.h"
#include "common/sys.h"
#include "core/policy/settings.h"
#include "core/policy/settings_table.h"
#include "hooks/library_version.h"
#include "loader/hook.h"

#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

using namespace abi;

constexpr const char* window_setting = "NCCL_WIN_ENABLE";
constexpr const char* used_settings[] = {"NCCL_ALGO", "NCCL_PROTO", "NCCL_NVLS_ENABLE", "NCCL_COLLNET_ENABLE",
                                         window_setting};
/// Code of somebody else's that may choose instead.
constexpr const char* plugins[] = {"NCCL_TUNER_PLUGIN", "NCCL_ENV_PLUGIN"};
constexpr const char* file_variable = "NCCL_CONF_FILE";
constexpr const char* system_file = "/etc/nccl.conf";
constinit uint32_t library_said = 0;

template <typename Call>
void say_library(const Call& call) {
  record_library_once(call.hook(), library_said,
                      [&](auto& text) { add_version_number(call, "ncclGetVersion", text); });
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
  // Files that NCCL takes further variables from, at its first call.
  const char* named = getenv(file_variable);
  for (const char* path : {named, system_file})
    if (path != nullptr && *path != 0 && sys::call(SYS_faccessat, AT_FDCWD, sys::address(path), R_OK) == 0)
      call.record(Action::observe, "NCCL reads further variables from this file",
                  {path == named ? file_variable : "", path, path});
}

/// A field of ncclConfig_t that goes before its variable, or takes part in choosing channels and algorithms.
struct Field {
  const char* name;
  size_t offset;
};
#define DETSHIM_FIELD(NAME)                                                                                  \
  { "ncclConfig_t." #NAME, offsetof(ncclConfig_t, NAME) }
constexpr Field fields[] = {
    DETSHIM_FIELD(cgaClusterSize),    DETSHIM_FIELD(minCTAs),       DETSHIM_FIELD(maxCTAs),
    DETSHIM_FIELD(splitShare),        DETSHIM_FIELD(collnetEnable), DETSHIM_FIELD(CTAPolicy),
    DETSHIM_FIELD(shrinkShare),       DETSHIM_FIELD(nvlsCTAs),      DETSHIM_FIELD(nChannelsPerNetPeer),
    DETSHIM_FIELD(nvlinkCentricSched)};

/// What the program sets in a communicator's configuration. Constant, so it repeats; but it is nowhere else
/// to be seen why two machines or versions of a program differ.
template <typename Call>
void see_to_config(const Call& call, const ncclConfig_t* config) {
  if (config == nullptr || config->magic != nccl_config_magic) return;
  constexpr const char* why = "set by the program: takes part in choosing channels and algorithms";
  for (const Field& field : fields) {
    if (config->size < field.offset + sizeof(int)) continue;
    int value;
    __builtin_memcpy(&value, reinterpret_cast<const char*>(config) + field.offset, sizeof value);
    if (value != nccl_config_unset) call.record(Action::observe, why, {field.name, value, value});
  }
  if (config->size >= offsetof(ncclConfig_t, netName) + sizeof(char*) && config->netName != nullptr)
    call.record(Action::observe, why, {"ncclConfig_t.netName", config->netName, config->netName});
}

constexpr const char* reduction_why = "ranks, channels and topology decide the order of addition";

/// Records a window that is to be registered; false if it is refused.
template <typename Call>
bool may_register(const Call& call, size_t size, int flags) {
  say_library(call);
  const char* const why = "kernels for registered windows ignore NCCL_ALGO";
  if (is_good_now(window_setting)) {
    call.record(Action::observe, "NCCL_WIN_ENABLE=0 keeps windows out of use", {uint64_t{size}, flags});
    return true;
  }
  call.record(options().strict() ? Action::refuse : Action::unfixed, why, {uint64_t{size}, flags});
  return !options().strict();
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

// Every function has a second name, by which profilers that stand in front of the first call it.
#define DETSHIM_BOTH_NAMES(HOOK, NAME, ...)                                                                  \
  HOOK(NAME, __VA_ARGS__)                                                                                    \
  HOOK(p##NAME, __VA_ARGS__)

// What reads the settings: every way to a communicator.
#define DETSHIM_COMMUNICATOR(NAME, CONFIG, PARAMS, ARGUMENTS)                                                \
  DETSHIM_HOOK(nccl, ncclResult, NAME, (DETSHIM_LIST PARAMS), .action = Action::replace,                     \
               .fields = {"variable", "asked", "given"},                                                     \
               .summary =                                                                                    \
                   "Sees that NCCL's variables bound the order of additions before NCCL reads them.") {      \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    if (!call.passes()) {                                                                                    \
      see_to_settings(call);                                                                                 \
      see_to_config(call, CONFIG);                                                                           \
    }                                                                                                        \
    return call.real(DETSHIM_LIST ARGUMENTS);                                                                \
  }

DETSHIM_BOTH_NAMES(DETSHIM_COMMUNICATOR, ncclGetUniqueId, nullptr, (ncclUniqueId * id), (id))
DETSHIM_BOTH_NAMES(DETSHIM_COMMUNICATOR, ncclCommInitRank, nullptr,
                   (ncclComm_t * communicator, int ranks, ncclUniqueId id, int rank),
                   (communicator, ranks, id, rank))
DETSHIM_BOTH_NAMES(DETSHIM_COMMUNICATOR, ncclCommInitRankConfig, config,
                   (ncclComm_t * communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config),
                   (communicator, ranks, id, rank, config))
DETSHIM_BOTH_NAMES(DETSHIM_COMMUNICATOR, ncclCommInitRankScalable, config,
                   (ncclComm_t * communicator, int ranks, int rank, int id_count, ncclUniqueId* ids,
                    ncclConfig_t* config),
                   (communicator, ranks, rank, id_count, ids, config))
DETSHIM_BOTH_NAMES(DETSHIM_COMMUNICATOR, ncclCommInitAll, nullptr,
                   (ncclComm_t * communicators, int count, const int* devices),
                   (communicators, count, devices))
DETSHIM_BOTH_NAMES(DETSHIM_COMMUNICATOR, ncclCommSplit, config,
                   (ncclComm_t communicator, int color, int key, ncclComm_t* fresh, ncclConfig_t* config),
                   (communicator, color, key, fresh, config))
DETSHIM_BOTH_NAMES(DETSHIM_COMMUNICATOR, ncclCommShrink, config,
                   (ncclComm_t communicator, int* excluded, int excluded_count, ncclComm_t* fresh,
                    ncclConfig_t* config, int flags),
                   (communicator, excluded, excluded_count, fresh, config, flags))

#define DETSHIM_WINDOW(NAME, ...)                                                                            \
  DETSHIM_HOOK(nccl, ncclResult, NAME,                                                                       \
               (ncclComm_t communicator, void* memory, size_t size, ncclWindow_t* window, int flags),        \
               .action = Action::refuse, .fields = {"size", "flags"},                                        \
               .summary = "Recorded, refused in strict: kernels for registered windows ignore NCCL_ALGO.") { \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    if (call.passes()) return call.real(communicator, memory, size, window, flags);                          \
    if (!may_register(call, size, flags)) return ncclResult::invalid_usage;                                  \
    return call.real(communicator, memory, size, window, flags);                                             \
  }
DETSHIM_BOTH_NAMES(DETSHIM_WINDOW, ncclCommWindowRegister, )

#define DETSHIM_REDUCTION(NAME, FIELDS, VALUES, PARAMS, ARGUMENTS)                                           \
  DETSHIM_HOOK(nccl, ncclResult, NAME, (DETSHIM_LIST PARAMS), .action = Action::observe,                     \
               .fields = {DETSHIM_LIST FIELDS},                                                              \
               .summary = "Recorded: reductions that differ show when two logs are compared.") {             \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    if (!call.passes()) {                                                                                    \
      say_library(call);                                                                                     \
      call.record(Action::observe, reduction_why, {DETSHIM_LIST VALUES});                                    \
    }                                                                                                        \
    return call.real(DETSHIM_LIST ARGUMENTS);                                                                \
  }

DETSHIM_BOTH_NAMES(DETSHIM_REDUCTION, ncclAllReduce, ("count", "type", "operation"),
                   (uint64_t{count}, static_cast<int>(type), static_cast<int>(operation)),
                   (const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
                    ncclComm_t communicator, cudaStream_t stream),
                   (from, to, count, type, operation, communicator, stream))
DETSHIM_BOTH_NAMES(DETSHIM_REDUCTION, ncclReduce, ("count", "type", "operation", "root"),
                   (uint64_t{count}, static_cast<int>(type), static_cast<int>(operation), root),
                   (const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
                    int root, ncclComm_t communicator, cudaStream_t stream),
                   (from, to, count, type, operation, root, communicator, stream))
DETSHIM_BOTH_NAMES(DETSHIM_REDUCTION, ncclReduceScatter, ("count", "type", "operation"),
                   (uint64_t{count}, static_cast<int>(type), static_cast<int>(operation)),
                   (const void* from, void* to, size_t count, ncclDataType type, ncclRedOp operation,
                    ncclComm_t communicator, cudaStream_t stream),
                   (from, to, count, type, operation, communicator, stream))

#define DETSHIM_SCALED_SUM(NAME, ...)                                                                        \
  DETSHIM_HOOK(nccl, ncclResult, NAME,                                                                       \
               (ncclRedOp * operation, void* scalar, ncclDataType type, ncclScalarResidence residence,       \
                ncclComm_t communicator),                                                                    \
               .action = Action::observe, .fields = {"type", "residence"},                                   \
               .summary = "Recorded: the sum of scaled values that the reductions after it name.") {         \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    if (!call.passes()) {                                                                                    \
      say_library(call);                                                                                     \
      call.record(Action::observe, "a sum of scaled values",                                                 \
                  {static_cast<int>(type), static_cast<int>(residence)});                                    \
    }                                                                                                        \
    return call.real(operation, scalar, type, residence, communicator);                                      \
  }
DETSHIM_BOTH_NAMES(DETSHIM_SCALED_SUM, ncclRedOpCreatePreMulSum, )
