// The part of NCCL that its double answers and its users call, written down by hand from nccl.h of
// NCCL 2.32. Enumerations are passed as int.
#pragma once

#include "opaque.h"

struct NcclUniqueId {
  char internal[128];
};

/// In the place of ncclConfig_t, which is handed on.
struct NcclConfig {
  static constexpr int unset = -2147483647 - 1; // NCCL_CONFIG_UNDEF_INT
  int blocking = 0;
};

/// ncclCollConfig_t of NCCL 2.32.
struct NcclCollConfig {
  size_t size = sizeof(NcclCollConfig);
  unsigned magic = 0xCAFEBEEF, version = 23203;
  void* ext = nullptr;
  int minCTAs = NcclConfig::unset, maxCTAs = NcclConfig::unset, nvlsCTAs = NcclConfig::unset,
      cgaClusterSize = NcclConfig::unset;
  const char* algSelection = nullptr;
  int forceAlgSelection = 1, CTAPolicy = NcclConfig::unset;
  unsigned long userProfilerTag = 0;
  void* launchCompletionEvent = nullptr;
};

extern "C" {

int ncclGetVersion(int* version);
int ncclGetUniqueId(NcclUniqueId* id);
int ncclCommInitRank(Opaque* communicator, int ranks, NcclUniqueId id, int rank);
int ncclCommInitRankConfig(Opaque* communicator, int ranks, NcclUniqueId id, int rank,
                           NcclConfig* config);
int ncclCommInitRankScalable(Opaque* communicator, int ranks, int rank, int id_count,
                             NcclUniqueId* ids, NcclConfig* config);
int ncclCommInitAll(Opaque* communicators, int count, const int* devices);
int ncclCommSplit(Opaque communicator, int color, int key, Opaque* fresh, NcclConfig* config);
int ncclCommShrink(Opaque communicator, int* excluded, int excluded_count, Opaque* fresh,
                   NcclConfig* config, int flags);
int ncclCommWindowRegister(Opaque communicator, void* memory, size_t size, Opaque* window,
                           int flags);
int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation,
                  Opaque communicator, Opaque stream);
int ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root,
               Opaque communicator, Opaque stream);
int ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation,
                      Opaque communicator, Opaque stream);
int ncclRedOpCreatePreMulSum(int* operation, void* scalar, int type, int residence,
                             Opaque communicator);
int ncclCommGetUniqueId(Opaque communicator, NcclUniqueId* id);
int ncclCommGrow(Opaque communicator, int ranks, const NcclUniqueId* id, int rank, Opaque* fresh,
                 NcclConfig* config);
int ncclAllReduceConfig(const void* from, void* to, size_t count, int type, int operation,
                        Opaque communicator, Opaque stream, const NcclCollConfig* config);
int ncclReduceConfig(const void* from, void* to, size_t count, int type, int operation, int root,
                     Opaque communicator, Opaque stream, const NcclCollConfig* config);
int ncclReduceScatterConfig(const void* from, void* to, size_t count, int type, int operation,
                            Opaque communicator, Opaque stream, const NcclCollConfig* config);

// The same by their second names.
int pncclGetUniqueId(NcclUniqueId* id);
int pncclCommInitRank(Opaque* communicator, int ranks, NcclUniqueId id, int rank);
int pncclCommInitRankConfig(Opaque* communicator, int ranks, NcclUniqueId id, int rank,
                            NcclConfig* config);
int pncclCommInitRankScalable(Opaque* communicator, int ranks, int rank, int id_count,
                              NcclUniqueId* ids, NcclConfig* config);
int pncclCommInitAll(Opaque* communicators, int count, const int* devices);
int pncclCommSplit(Opaque communicator, int color, int key, Opaque* fresh, NcclConfig* config);
int pncclCommShrink(Opaque communicator, int* excluded, int excluded_count, Opaque* fresh,
                    NcclConfig* config, int flags);
int pncclCommWindowRegister(Opaque communicator, void* memory, size_t size, Opaque* window,
                            int flags);
int pncclAllReduce(const void* from, void* to, size_t count, int type, int operation,
                   Opaque communicator, Opaque stream);
int pncclReduce(const void* from, void* to, size_t count, int type, int operation, int root,
                Opaque communicator, Opaque stream);
int pncclReduceScatter(const void* from, void* to, size_t count, int type, int operation,
                       Opaque communicator, Opaque stream);
int pncclRedOpCreatePreMulSum(int* operation, void* scalar, int type, int residence,
                              Opaque communicator);
int pncclCommGetUniqueId(Opaque communicator, NcclUniqueId* id);
int pncclCommGrow(Opaque communicator, int ranks, const NcclUniqueId* id, int rank, Opaque* fresh,
                  NcclConfig* config);
int pncclAllReduceConfig(const void* from, void* to, size_t count, int type, int operation,
                         Opaque communicator, Opaque stream, const NcclCollConfig* config);
int pncclReduceConfig(const void* from, void* to, size_t count, int type, int operation, int root,
                      Opaque communicator, Opaque stream, const NcclCollConfig* config);
int pncclReduceScatterConfig(const void* from, void* to, size_t count, int type, int operation,
                             Opaque communicator, Opaque stream, const NcclCollConfig* config);

} // extern "C"
