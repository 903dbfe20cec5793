// A double of libnccl.so.2, of which this is rank 1 of 3. In a group, operations are put into their
// streams at its end.
#include "compute.h"

#include <vector>

namespace {

int depth;
std::vector<std::function<void()>> grouped;

int run(const char* name, const void* from, void* to, size_t size, Opaque stream) {
  if (misbehaves("calls fail"))
    return 1;
  const auto work = [=] {
    compute(name, stream, from, {to, size});
  };
  if (depth > 0)
    grouped.push_back(work);
  else
    work();
  return misbehaves("does not block") ? 7 : 0;
}

} // namespace

extern "C" {

int ncclGetVersion(int* version) { return *version = 22800, 0; }
int ncclCommCount(Opaque, int* count) {
  return *count = 3, misbehaves("ranks are not told") ? 4 : 0;
}
int ncclCommUserRank(Opaque, int* rank) {
  return *rank = 1, misbehaves("ranks are not told") ? 4 : 0;
}
int ncclGroupStart() { return ++depth, 0; }
int ncclGroupEnd() {
  if (--depth > 0)
    return 0;
  for (const auto& work : grouped)
    work();
  grouped.clear();
  return 0;
}
int ncclAllReduce(const void* from, void* to, size_t count, int, int, Opaque, Opaque stream) {
  return run("ncclAllReduce", from, to, count * 4, stream);
}
int ncclReduceScatter(const void* from, void* to, size_t count, int, int, Opaque, Opaque stream) {
  return run("ncclReduceScatter", from, to, count * 4, stream);
}
int ncclReduce(const void* from, void* to, size_t count, int, int, int root, Opaque,
               Opaque stream) {
  return run("ncclReduce", from, to, root == 1 ? count * 4 : 0, stream);
}

} // extern "C"
