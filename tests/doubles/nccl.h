// The part of NCCL that its double answers and its users call, written down by hand from nccl.h of NCCL 2.28.
// Enumerations travel as int.
#pragma once

#include "vendor.h"

struct NcclUniqueId {
  char internal[128];
};

extern "C" {

int ncclGetVersion(int* version);
int ncclGetUniqueId(NcclUniqueId* id);
int ncclCommInitRank(Opaque* communicator, int ranks, NcclUniqueId id, int rank);
int ncclCommInitRankConfig(Opaque* communicator, int ranks, NcclUniqueId id, int rank, void* config);
int ncclCommInitRankScalable(Opaque* communicator, int ranks, int rank, int id_count, NcclUniqueId* ids,
                             void* config);
int ncclCommInitAll(Opaque* communicators, int count, const int* devices);
int ncclCommSplit(Opaque communicator, int color, int key, Opaque* fresh, void* config);
int ncclCommShrink(Opaque communicator, int* excluded, int excluded_count, Opaque* fresh, void* config,
                   int flags);
int ncclCommWindowRegister(Opaque communicator, void* memory, size_t size, Opaque* window, int flags);
int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, Opaque communicator,
                  Opaque stream);
int ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root,
               Opaque communicator, Opaque stream);
int ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation, Opaque communicator,
                      Opaque stream);
int ncclRedOpCreatePreMulSum(int* operation, void* scalar, int type, int residence, Opaque communicator);

} // extern "C"
