// A double of libnccl.so.2: it reduces nothing. Like the real one it reads its variables as a
// communicator is made.
#include "nccl.h"

#include "record.h"

namespace {

constexpr int system_error = 2;

const char* value_of(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "(unset)";
}

int number_of(const NcclConfig* config) { return config ? config->blocking : -1; }

/// Whichever way a communicator is made.
int make(const char* name, Opaque* communicator) {
  static int the_communicator;
  record("%s ALGO=%s PROTO=%s NVLS=%s COLLNET=%s WIN=%s", name, value_of("NCCL_ALGO"),
         value_of("NCCL_PROTO"), value_of("NCCL_NVLS_ENABLE"), value_of("NCCL_COLLNET_ENABLE"),
         value_of("NCCL_WIN_ENABLE"));
  if (misbehaves("file"))
    setenv("NCCL_TUNER_PLUGIN", "libmine.so", 0); // as the real one does with its files
  if (misbehaves("fail"))
    return system_error;
  if (communicator)
    *communicator = &the_communicator;
  return 0;
}

const char* selection_of(const NcclCollConfig* config) {
  return !config ? "(none)" : config->algSelection ? config->algSelection : "(automatic)";
}

/// What is done with a communicator.
int later() { return misbehaves("fail_later") ? system_error : misbehaves("in_progress") ? 7 : 0; }

} // namespace

extern "C" {

int ncclGetVersion(int* version) {
  *version = 23203;
  return 0;
}

int ncclGetUniqueId(NcclUniqueId* id) {
  std::memset(id, 0, sizeof *id);
  std::strcpy(id->internal, "an id");
  id->internal[127] = '!';
  if (misbehaves("unique id")) { // as the real one makes it
    FILE* device = std::fopen("/dev/urandom", "r");
    if (!device || std::fread(id->internal, 16, 1, device) != 1)
      return system_error;
    std::fclose(device);
  }
  return make("ncclGetUniqueId", nullptr);
}

int ncclCommInitRank(Opaque* communicator, int ranks, NcclUniqueId id, int rank) {
  record("ncclCommInitRank ranks=%d id=%s%c rank=%d", ranks, id.internal, id.internal[127], rank);
  return make("ncclCommInitRank", communicator);
}

int ncclCommInitRankConfig(Opaque* communicator, int ranks, NcclUniqueId id, int rank,
                           NcclConfig* config) {
  record("ncclCommInitRankConfig ranks=%d id=%s%c rank=%d config=%d", ranks, id.internal,
         id.internal[127], rank, number_of(config));
  return make("ncclCommInitRankConfig", communicator);
}

int ncclCommInitRankScalable(Opaque* communicator, int ranks, int rank, int id_count,
                             NcclUniqueId* ids, NcclConfig* config) {
  record("ncclCommInitRankScalable ranks=%d rank=%d ids=%d %s config=%d", ranks, rank, id_count,
         ids->internal, number_of(config));
  return make("ncclCommInitRankScalable", communicator);
}

int ncclCommInitAll(Opaque* communicators, int count, const int* devices) {
  record("ncclCommInitAll count=%d first=%d", count, devices[0]);
  return make("ncclCommInitAll", communicators);
}

int ncclCommSplit(Opaque, int color, int key, Opaque* fresh, NcclConfig* config) {
  record("ncclCommSplit color=%d key=%d config=%d", color, key, number_of(config));
  return make("ncclCommSplit", fresh);
}

int ncclCommShrink(Opaque, int* excluded, int excluded_count, Opaque* fresh, NcclConfig* config,
                   int flags) {
  record("ncclCommShrink %d of %d config=%d flags=%d", excluded[0], excluded_count,
         number_of(config), flags);
  return make("ncclCommShrink", fresh);
}

int ncclCommWindowRegister(Opaque, void* memory, size_t size, Opaque* window, int flags) {
  record("ncclCommWindowRegister %p %zu %d", memory, size, flags);
  *window = memory;
  return later();
}

int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, Opaque,
                  Opaque stream) {
  record("ncclAllReduce %p %p %zu %d %d %p", from, to, count, type, operation, stream);
  return later();
}

int ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root, Opaque,
               Opaque stream) {
  record("ncclReduce %p %p %zu %d %d %d %p", from, to, count, type, operation, root, stream);
  return later();
}

int ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation, Opaque,
                      Opaque stream) {
  record("ncclReduceScatter %p %p %zu %d %d %p", from, to, count, type, operation, stream);
  return later();
}

int ncclRedOpCreatePreMulSum(int* operation, void* scalar, int type, int residence, Opaque) {
  record("ncclRedOpCreatePreMulSum %p %d %d", scalar, type, residence);
  *operation = 5;
  return later();
}

int ncclCommGetUniqueId(Opaque communicator, NcclUniqueId* id) {
  record("ncclCommGetUniqueId %d", communicator != nullptr);
  std::memset(id, 0, sizeof *id);
  return make("ncclCommGetUniqueId", nullptr);
}

int ncclCommGrow(Opaque communicator, int ranks, const NcclUniqueId* id, int rank, Opaque* fresh,
                 NcclConfig* config) {
  record("ncclCommGrow %d ranks=%d id=%s%c rank=%d config=%d", communicator != nullptr, ranks,
         id->internal, id->internal[127], rank, number_of(config));
  return make("ncclCommGrow", fresh);
}

int ncclAllReduceConfig(const void* from, void* to, size_t count, int type, int operation, Opaque,
                        Opaque stream, const NcclCollConfig* config) {
  record("ncclAllReduceConfig %p %p %zu %d %d %p %s", from, to, count, type, operation, stream,
         selection_of(config));
  return later();
}

int ncclReduceConfig(const void* from, void* to, size_t count, int type, int operation, int root,
                     Opaque, Opaque stream, const NcclCollConfig* config) {
  record("ncclReduceConfig %p %p %zu %d %d %d %p %s", from, to, count, type, operation, root,
         stream, selection_of(config));
  return later();
}

int ncclReduceScatterConfig(const void* from, void* to, size_t count, int type, int operation,
                            Opaque, Opaque stream, const NcclCollConfig* config) {
  record("ncclReduceScatterConfig %p %p %zu %d %d %p %s", from, to, count, type, operation, stream,
         selection_of(config));
  return later();
}

// Profilers stand in front of the first names and call these.
int pncclGetUniqueId(NcclUniqueId* id) {
  record("by its second name");
  return ncclGetUniqueId(id);
}

int pncclCommInitRank(Opaque* communicator, int ranks, NcclUniqueId id, int rank) {
  record("by its second name");
  return ncclCommInitRank(communicator, ranks, id, rank);
}

int pncclCommInitRankConfig(Opaque* communicator, int ranks, NcclUniqueId id, int rank,
                            NcclConfig* config) {
  record("by its second name");
  return ncclCommInitRankConfig(communicator, ranks, id, rank, config);
}

int pncclCommInitRankScalable(Opaque* communicator, int ranks, int rank, int id_count,
                              NcclUniqueId* ids, NcclConfig* config) {
  record("by its second name");
  return ncclCommInitRankScalable(communicator, ranks, rank, id_count, ids, config);
}

int pncclCommInitAll(Opaque* communicators, int count, const int* devices) {
  record("by its second name");
  return ncclCommInitAll(communicators, count, devices);
}

int pncclCommSplit(Opaque communicator, int color, int key, Opaque* fresh, NcclConfig* config) {
  record("by its second name");
  return ncclCommSplit(communicator, color, key, fresh, config);
}

int pncclCommShrink(Opaque communicator, int* excluded, int excluded_count, Opaque* fresh,
                    NcclConfig* config, int flags) {
  record("by its second name");
  return ncclCommShrink(communicator, excluded, excluded_count, fresh, config, flags);
}

int pncclCommWindowRegister(Opaque communicator, void* memory, size_t size, Opaque* window,
                            int flags) {
  record("by its second name");
  return ncclCommWindowRegister(communicator, memory, size, window, flags);
}

int pncclAllReduce(const void* from, void* to, size_t count, int type, int operation,
                   Opaque communicator, Opaque stream) {
  record("by its second name");
  return ncclAllReduce(from, to, count, type, operation, communicator, stream);
}

int pncclReduce(const void* from, void* to, size_t count, int type, int operation, int root,
                Opaque communicator, Opaque stream) {
  record("by its second name");
  return ncclReduce(from, to, count, type, operation, root, communicator, stream);
}

int pncclReduceScatter(const void* from, void* to, size_t count, int type, int operation,
                       Opaque communicator, Opaque stream) {
  record("by its second name");
  return ncclReduceScatter(from, to, count, type, operation, communicator, stream);
}

int pncclRedOpCreatePreMulSum(int* operation, void* scalar, int type, int residence,
                              Opaque communicator) {
  record("by its second name");
  return ncclRedOpCreatePreMulSum(operation, scalar, type, residence, communicator);
}

int pncclCommGetUniqueId(Opaque communicator, NcclUniqueId* id) {
  record("by its second name");
  return ncclCommGetUniqueId(communicator, id);
}

int pncclCommGrow(Opaque communicator, int ranks, const NcclUniqueId* id, int rank, Opaque* fresh,
                  NcclConfig* config) {
  record("by its second name");
  return ncclCommGrow(communicator, ranks, id, rank, fresh, config);
}

int pncclAllReduceConfig(const void* from, void* to, size_t count, int type, int operation,
                         Opaque communicator, Opaque stream, const NcclCollConfig* config) {
  record("by its second name");
  return ncclAllReduceConfig(from, to, count, type, operation, communicator, stream, config);
}

int pncclReduceConfig(const void* from, void* to, size_t count, int type, int operation, int root,
                      Opaque communicator, Opaque stream, const NcclCollConfig* config) {
  record("by its second name");
  return ncclReduceConfig(from, to, count, type, operation, root, communicator, stream, config);
}

int pncclReduceScatterConfig(const void* from, void* to, size_t count, int type, int operation,
                             Opaque communicator, Opaque stream, const NcclCollConfig* config) {
  record("by its second name");
  return ncclReduceScatterConfig(from, to, count, type, operation, communicator, stream, config);
}

} // extern "C"
