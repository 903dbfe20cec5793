// A double of libcublasLt.so.13. Its heuristic lists four algorithms, told apart by their first
// word; the numbers are all there is to them. DOUBLE_MISBEHAVE: "fail" refuses, "fewer" finds one,
// "bad_first" says of the first that it does not work, "all_bad" of all, "shuffle" lists them in an
// order that differs from process to process, "dropped" offers other algorithms, "unchecked" lists
// a first one that cublasLtMatmulAlgoCheck does not take, "over_limit" one whose workspace is more
// than the preference allows, "all reduce" has no algorithm without a reduction. Algorithms that a
// program makes of the numbers 20, 21 and 22: the check does not take 20, and a product takes a
// workspace of as many bytes as the tile's number says.
#include "cublas.h"
#include "record.h"

#include <string>
#include <unistd.h>

namespace {

constexpr int not_initialized = 1, invalid_value = 7, not_supported = 15;
#ifdef DETSHIM_TEST_OLDER_VERSION
constexpr int version[] = {12, 9, 1};
#else
constexpr int version[] = {13, 1, 0};
#endif

/// A descriptor: values by the attribute's number.
struct Descriptor {
  unsigned long long values[42] = {};
};

/// Sizes of the attributes' values, 0 for numbers that there are not.
constexpr unsigned char preference_sizes[42] = {4, 8, 0, 4};
constexpr unsigned char layout_sizes[42] = {4, 4, 8, 8, 8, 4, 8, 8, 4, 8, 8, 8, 4, 4};
constexpr unsigned char matmul_sizes[42] = {4, 4, 4, 4, 4, 4, 4, 4, 8, 0, 8, 8, 8, 8,
                                            8, 4, 0, 8, 8, 8, 8, 8, 4, 8, 8, 1, 4, 0,
                                            0, 0, 0, 4, 4, 4, 4, 4, 8, 4, 8, 8, 8, 4};

int get(Opaque descriptor, const unsigned char (&sizes)[42], int attribute, void* value,
        size_t size, size_t* written) {
  if (attribute < 0 || attribute >= 42 || sizes[attribute] == 0 ||
      (size != 0 && size != sizes[attribute]))
    return invalid_value;
  if (size == 0) { // how many bytes there are
    *written = sizes[attribute];
    return 0;
  }
  std::memcpy(value, &static_cast<Descriptor*>(descriptor)->values[attribute], size);
  if (written)
    *written = size;
  return 0;
}

int set(Opaque descriptor, const unsigned char (&sizes)[42], int attribute, const void* value,
        size_t size) {
  if (attribute < 0 || attribute >= 42 || sizes[attribute] == 0 || size != sizes[attribute])
    return invalid_value;
  std::memcpy(&static_cast<Descriptor*>(descriptor)->values[attribute], value, size);
  return 0;
}

/// Of the algorithms 11 adds up parts: it is not listed for a preference without a reduction.
int list_algorithms(Opaque preference, int requested, LtResult* results, int* returned) {
  if (misbehaves("fail"))
    return not_initialized;
  const bool has_reduction =
      preference == nullptr || static_cast<Descriptor*>(preference)->values[3] != 0;
  if (!has_reduction && misbehaves("all reduce"))
    return not_supported;
  const int available = misbehaves("fewer") ? 1 : 4;
  const int offset = misbehaves("shuffle") ? getpid() : 0;
  *returned = requested < available ? requested : available;
  for (int i = 0; i < *returned; ++i) {
    LtResult result{};
    result.algo.data[0] =
        static_cast<unsigned>((i + offset) % 4 + (misbehaves("dropped") ? 50 : 10));
    if (!has_reduction && result.algo.data[0] == 11)
      result.algo.data[0] = 14;
    result.algo.data[7] = 0xabcdef;
    result.workspace_size = 1024 * result.algo.data[0];
    if (misbehaves("over_limit") && i == 0)
      result.workspace_size = 1 << 30;
    result.state = (misbehaves("bad_first") && i == 0) || misbehaves("all_bad") ? not_supported : 0;
    result.waves_count = 1;
    results[i] = result;
  }
  return 0;
}

/// A preference, if the program has one.
std::string said(Opaque preference) {
  if (preference == nullptr)
    return "";
  const auto& values = static_cast<Descriptor*>(preference)->values;
  return " limit=" + std::to_string(values[1]) + " reductions=" + std::to_string(values[3]);
}

} // namespace

extern "C" {

size_t cublasLtGetVersion() {
  return static_cast<size_t>(version[0] * 10000 + version[1] * 100 + version[2]);
}

int cublasLtGetProperty(int type, int* value) {
  if (type < 0 || type > 2)
    return invalid_value;
  *value = version[type];
  return 0;
}

int cublasLtCreate(Opaque* handle) {
  if (misbehaves("no_handle"))
    return not_initialized;
  *handle = new int;
  return 0;
}

int cublasLtDestroy(Opaque handle) {
  delete static_cast<int*>(handle);
  return 0;
}

int cublasLtMatmulDescCreate(Opaque* descriptor, int compute_type, int scale_type) {
  auto* made = new Descriptor;
  made->values[0] = static_cast<unsigned>(compute_type);
  made->values[1] = static_cast<unsigned>(scale_type);
  made->values[41] = 0x8000; // not set
  *descriptor = made;
  return 0;
}

int cublasLtMatmulDescDestroy(Opaque descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return 0;
}

int cublasLtMatmulDescSetAttribute(Opaque descriptor, int attribute, const void* value,
                                   size_t size) {
  return set(descriptor, matmul_sizes, attribute, value, size);
}

int cublasLtMatmulDescGetAttribute(Opaque descriptor, int attribute, void* value, size_t size,
                                   size_t* written) {
  return get(descriptor, matmul_sizes, attribute, value, size, written);
}

int cublasLtMatmulPreferenceCreate(Opaque* preference) {
  auto* made = new Descriptor;
  made->values[3] = 7; // every reduction
  *preference = made;
  return 0;
}

int cublasLtMatmulPreferenceDestroy(Opaque preference) {
  delete static_cast<Descriptor*>(preference);
  return 0;
}

int cublasLtMatmulPreferenceSetAttribute(Opaque preference, int attribute, const void* value,
                                         size_t size) {
  return set(preference, preference_sizes, attribute, value, size);
}

int cublasLtMatmulPreferenceGetAttribute(Opaque preference, int attribute, void* value, size_t size,
                                         size_t* written) {
  return get(preference, preference_sizes, attribute, value, size, written);
}

int cublasLtMatrixLayoutCreate(Opaque* layout, int type, unsigned long long rows,
                               unsigned long long columns, long long leading) {
  auto* made = new Descriptor;
  made->values[0] = static_cast<unsigned>(type);
  made->values[2] = rows;
  made->values[3] = columns;
  made->values[4] = static_cast<unsigned long long>(leading);
  made->values[5] = 1;
  *layout = made;
  return 0;
}

int cublasLtMatrixLayoutSetAttribute(Opaque layout, int attribute, const void* value, size_t size) {
  return set(layout, layout_sizes, attribute, value, size);
}

int cublasLtMatrixLayoutDestroy(Opaque layout) {
  delete static_cast<Descriptor*>(layout);
  return 0;
}

int cublasLtMatrixLayoutGetAttribute(Opaque layout, int attribute, void* value, size_t size,
                                     size_t* written) {
  return get(layout, layout_sizes, attribute, value, size, written);
}

int cublasLtMatmulAlgoGetHeuristic(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque,
                                   Opaque preference, int requested, LtResult* results,
                                   int* returned) {
  record("cublasLtMatmulAlgoGetHeuristic requested=%d%s", requested, said(preference).c_str());
  return list_algorithms(preference, requested, results, returned);
}

int cublasLtMatmulAlgoGetHeuristicForStream(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque,
                                            Opaque preference, int requested, LtResult* results,
                                            int* returned, Opaque stream) {
  record("cublasLtMatmulAlgoGetHeuristicForStream requested=%d stream=%p%s", requested, stream,
         said(preference).c_str());
  return list_algorithms(preference, requested, results, returned);
}

#ifndef DETSHIM_TEST_OLDER_VERSION // as if it came later
int cublasLtMatmulAlgoGetIds(Opaque, int, int, int, int, int, int, int requested, int* ids,
                             int* returned) {
  record("cublasLtMatmulAlgoGetIds requested=%d", requested);
  if (misbehaves("fail"))
    return not_initialized;
  *returned = requested < 3 ? requested : 3;
  for (int i = 0; i < *returned; ++i)
    ids[i] = 20 + i;
  return 0;
}
#endif

int cublasLtMatmulAlgoInit(Opaque, int, int, int, int, int, int, int id, LtAlgo* algo) {
  if (misbehaves("fail") || id < 20 || id > 22)
    return invalid_value;
  *algo = {};
  algo->data[0] = static_cast<unsigned>(id);
  return 0;
}

int cublasLtMatmulAlgoCheck(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, const LtAlgo* algo,
                            LtResult* result) {
  record("cublasLtMatmulAlgoCheck algo=%lld", static_cast<long long>(algo->data[0]));
  if (algo->data[0] == 20 || (misbehaves("unchecked") && algo->data[0] == 10))
    return not_supported;
  const LtAlgo checked = *algo;
  *result = {};
  result->algo = checked;
  result->workspace_size = checked.data[0] >= 20 ? checked.data[2] : 1024 * checked.data[0];
  return 0;
}

int cublasLtMatmulAlgoCheckForStream(Opaque handle, Opaque operation, Opaque a, Opaque b, Opaque c,
                                     Opaque d, const LtAlgo* algo, LtResult* result, Opaque) {
  record("cublasLtMatmulAlgoCheckForStream");
  return cublasLtMatmulAlgoCheck(handle, operation, a, b, c, d, algo, result);
}

/// The reduction scheme of an algorithm of the list is 2 for 11, and none for the others.
int cublasLtMatmulAlgoConfigGetAttribute(const LtAlgo* algo, int attribute, void* value,
                                         size_t size, size_t* written) {
  if (attribute != 3 || size != 4)
    return invalid_value;
  const unsigned scheme = algo->data[0] == 11 ? 2 : 0;
  std::memcpy(value, &scheme, sizeof scheme);
  *written = sizeof scheme;
  return 0;
}

int cublasLtMatmulAlgoConfigSetAttribute(LtAlgo* algo, int attribute, const void* value,
                                         size_t size) {
  record("cublasLtMatmulAlgoConfigSetAttribute attribute=%d", attribute);
  if (misbehaves("fail") || attribute < 0 || attribute > 6 || size > 8)
    return invalid_value;
  std::memcpy(&algo->data[1 + attribute], value, size);
  return 0;
}

int cublasLtMatmul(Opaque, Opaque, const void*, const void*, Opaque, const void*, Opaque,
                   const void*, const void*, Opaque, void*, Opaque, const LtAlgo* algo, void*,
                   size_t workspace_size, Opaque) {
  if (algo && algo->data[0] >= 20 && algo->data[0] <= 22 && workspace_size < algo->data[2])
    return invalid_value;
  record("cublasLtMatmul algo=%lld workspace=%zu%s",
         algo ? static_cast<long long>(algo->data[0]) : -1, workspace_size,
         algo && algo->data[2] ? (" tile=" + std::to_string(algo->data[2])).c_str() : "");
  return misbehaves("fail") ? not_initialized : 0;
}

} // extern "C"
