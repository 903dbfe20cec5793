// An ordinary user of cuBLAS, cuBLASLt and NCCL. Each argument is something to do, in one stream;
// at the end it prints nothing of what was computed.
#include "device_memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <thread>

namespace {

constexpr int m = 5, n = 3, k = 4, ld = 7, batches = 2;

// ---- A graph of cuDNN's: numbers of cudnn_graph.h ----

template <typename Value>
void set(Opaque descriptor, int name, int type, std::initializer_list<Value> values) {
  CALL(cudnnBackendSetAttribute)
  (descriptor, name, type, static_cast<int64_t>(values.size()), values.begin());
}

Opaque make(int type) {
  Opaque descriptor = nullptr;
  CALL(cudnnBackendCreateDescriptor)(type, &descriptor);
  return descriptor;
}

constexpr int type_of_data = 1, type_of_boolean = 2, type_of_int64 = 3, type_of_double = 5,
              type_of_pointer = 6, type_of_descriptor = 15;

/// Two rows of 5 numbers, 8 from one to the next.
Opaque tensor(int64_t id, int type = 0) {
  const Opaque made = make(13);
  set(made, 901, type_of_data, {type});
  set<int64_t>(made, 902, type_of_int64, {1, 2, 5});
  set<int64_t>(made, 903, type_of_int64, {16, 8, 1});
  set(made, 906, type_of_int64, {id});
  return made;
}

/// y of x, by way of a tensor that has no memory: a convolution of x with itself and an activation.
/// `how` is something else.
int run_graph(const char* how, const void* x, void* y) {
  const auto is = [&](const char* name) {
    return std::strcmp(how, name) == 0;
  };
  const Opaque of_x = tensor(1), between = tensor(2), of_y = tensor(3, is("boolean") ? 11 : 0);
  set(between, 907, type_of_boolean, {true});
  if (is("ragged"))
    set(of_y, 913, type_of_descriptor, {tensor(4)});
  if (is("vectors"))
    set<int64_t>(of_y, 904, type_of_int64, {4});
  const Opaque convolution = make(10), activation = make(16);
  set(convolution, 703, type_of_descriptor, {of_x});
  set(convolution, 704, type_of_descriptor, {of_x});
  set(convolution, 705, type_of_descriptor, {is("added") ? of_y : between});
  set(convolution, 700, type_of_double, {std::getenv("OTHER_SCALE") != nullptr ? 2.0 : 1.0});
  set(convolution, 701, type_of_double, {is("added") ? 1.0 : 0.0});
  set(activation, 751, type_of_descriptor, {between});
  set(activation, 753, type_of_descriptor, {is("another tensor") ? tensor(2) : of_y});
  if (is("backwards"))
    set(activation, 756, type_of_descriptor, {tensor(5)});
  if (is("unknown operation"))
    set(activation, 2902, type_of_descriptor, {between});
  const Opaque graph = make(15), engine = make(2), config = make(3), plan = make(5), pack = make(9);
  if (is("added"))
    set(graph, 801, type_of_descriptor, {convolution});
  else
    set(graph, 801, type_of_descriptor, {convolution, activation});
  // What a graph was made of may go.
  for (const Opaque descriptor : {of_x, between, of_y, convolution, activation})
    CALL(cudnnBackendDestroyDescriptor)(descriptor);
  set(engine, 1300, type_of_descriptor, {graph});
  set(config, 300, type_of_descriptor, {engine});
  if (!is("unknown plan"))
    set(plan, 401, type_of_descriptor, {config});
  CALL(cudnnBackendFinalize)(plan);
  void* const gradient = static_cast<char*>(y) + 512;
  set<int64_t>(pack, 1000, type_of_int64, {9, 1, is("not in the pack") ? 8 : 3, 5});
  set<const void*>(pack, 1001, type_of_pointer,
                   {nullptr, x, is("without data") ? nullptr : y, gradient});
  if (is("shapes"))
    set<int64_t>(pack, 1011, type_of_int64, {1, 2, 4});
  plan_writes(x, is("backwards") ? gradient : y, 20, 2, 32);
  return CALL(cudnnBackendExecute)(number(1), plan, pack);
}

} // namespace

int main(int argc, char** argv) {
  Opaque stream = number(64);
  Opaque handle = nullptr;
  CALL(cublasCreate_v2)(&handle);
  CALL(cublasSetStream_v2)(handle, stream);
  // A program that is given something else.
  const bool is_other = std::getenv("OTHER_INPUT") != nullptr;
  void* const a = device_memory(is_other ? 50 : 1);
  void* const b = device_memory(2);
  char* const c =
      static_cast<char*>(device_memory(std::getenv("OTHER_BEFORE") != nullptr ? 60 : 3));
  void* const several_a[] = {a, b};
  void* several_c[] = {c, c + 1024};
  char host[64];
  const float one = std::getenv("OTHER_SCALE") != nullptr ? 2 : 1;
  float beta = 0;
  Opaque executable = nullptr; // a graph
  const double all = one;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) {
      return std::strcmp(argv[i], name) == 0;
    };
    int status = 0;
    if (is("beta"))
      beta = 1;
    if (is("scales on the device"))
      status = CALL(cublasSetPointerMode_v2)(handle, 1);
    if (is("legacy stream"))
      status = CALL(cublasSetStream_v2)(handle, stream = nullptr);
    if (is("other context"))
      status = CALL(cublasSetStream_v2)(handle, stream = number(67));
    if (is("cublasSgemm_v2"))
      status = CALL(cublasSgemm_v2)(handle, 0, 0, m, n, k, &one, a, ld, b, ld, &beta, c, ld);
    if (is("refused"))
      for (int call = 0; call < 20000; ++call)
        status = CALL(cublasSgemm_v2)(handle, 0, 0, m, n, k, &one, a, 1, b, ld, &one, c, ld);
    if (is("destroy the context"))
      status = CALL(cuCtxDestroy_v2)(number(0xC0));
    if (is("reset the device"))
      status = CALL(cuDevicePrimaryCtxReset_v2)(0);
    if (is("release the device"))
      status = CALL(cuDevicePrimaryCtxRelease_v2)(0);
    if (is("many threads"))
      for (int thread = 0; thread < 9000; ++thread)
        std::thread([&] {
          status = CALL(cublasSgemm_v2)(handle, 0, 0, m, n, k, &one, a, ld, b, ld, &beta, c, ld);
          CALL(cuStreamSynchronize)(stream);
        }).join();
    if (is("many streams"))
      for (uintptr_t one_stream = 1; one_stream <= 5000; ++one_stream) {
        CALL(cublasSetStream_v2)(handle, number(one_stream << 16));
        status = CALL(cublasSgemm_v2)(handle, 0, 0, m, n, k, &one, a, ld, b, ld, &beta, c, ld);
        CALL(cuStreamSynchronize)(number(one_stream << 16));
      }
    if (is("another stream"))
      status = CALL(cublasSetStream_v2)(handle, stream = number(128));
    if (is("the first stream"))
      status = CALL(cublasSetStream_v2)(handle, stream = number(64));
    if (is("begin capture"))
      status = CALL(cuStreamBeginCapture_v2)(number(64), 0);
    if (is("end capture")) {
      Opaque graph = nullptr;
      status = CALL(cuStreamEndCapture)(number(64), &graph);
      if (status == 0)
        status = CALL(cuGraphInstantiateWithFlags)(&executable, graph, 0);
    }
    if (is("launch"))
      status = CALL(cuGraphLaunch)(executable, number(64));
    if (is("other data"))
      static_cast<char*>(a)[0] ^= 1;
    if (is("populate"))
      status = CALL(cudnnBackendPopulateCudaGraph)(number(1), number(2), number(3), nullptr);
    if (is("outside"))
      status =
          CALL(cublasSgemm_v2)(handle, 0, 0, m, n, k, &one, a, ld, b, ld, &beta, c + size - 8, 5);
    if (is("without gaps"))
      status = CALL(cublasSgemm_v2)(handle, 0, 0, 4, n, k, &one, a, ld, b, ld, &beta, c, 4);
    if (is("cublasSgemmBatched"))
      status = CALL(cublasSgemmBatched)(handle, 0, 0, m, n, k, &one, several_a, ld, several_a, ld,
                                        &beta, several_c, ld, batches);
    if (is("cublasSgemmStridedBatched"))
      status = CALL(cublasSgemmStridedBatched)(handle, 0, 0, m, n, k, &one, a, ld, 100, b, ld, 100,
                                               &beta, c, ld, 50, batches);
    if (is("backwards")) {
      static_cast<char*>(a)[400] ^= std::getenv("OTHER_LAST") != nullptr ? 1 : 0;
      status =
          CALL(cublasSgemmStridedBatched)(handle, 0, 0, m, n, k, &one, static_cast<char*>(a), ld,
                                          100, b, ld, 100, &beta, c + 400, ld, -100, batches);
    }
    if (is("cublasGemmEx"))
      status = CALL(cublasGemmEx)(handle, 0, 1, m, n, k, &one, a, 14, ld, b, 14, ld, &beta, c, 14,
                                  ld, 68, -1);
    if (is("cublasSgemv_v2"))
      status = CALL(cublasSgemv_v2)(handle, 0, m, n, &one, a, ld, b, 2, &beta, c, 3);
    if (is("cublasDtrsm_v2"))
      status = CALL(cublasDtrsm_v2)(handle, 0, 0, 0, 0, m, n, &all, a, ld, c, ld);
    if (std::strncmp(argv[i], "cublasLtMatmul", 14) == 0) {
      const int64_t order = is("cublasLtMatmul by rows")    ? 1
                            : is("cublasLtMatmul in tiles") ? 2
                                                            : 0;
      const int64_t plane = is("cublasLtMatmul in planes") ? 512 : 0;
      const int64_t by_pointers = is("cublasLtMatmul by pointers") ? 1 : 0, count = by_pointers + 1;
      // type, order, rows, columns, leading dimension, batches, step, plane, mode of the batch
      int64_t of_a[] = {0, 0, m, k, ld, count, 0, 0, by_pointers};
      const int64_t of_b[] = {0, 0, k, n, ld, count, 0, 0, by_pointers};
      int64_t of_d[] = {0, order, order == 1 ? n : m, order == 1 ? m : n, ld, count,
                        0, plane, by_pointers};
      // compute, scale, pointer mode, transpositions, fill mode, epilogue, bias; 11: the epilogue's
      // matrix, 12: its leading dimension, 22 and 26: the types of both
      const struct {
        const char* name;
        int64_t number;
      } epilogues[] = {{"bias", 4},       {"gelu", 160},          {"relu", 130},
                       {"backward", 208}, {"gradient by B", 512}, {"unknown", 1024}};
      int64_t product[27] = {68, 0, 0, 0, 0, 0, 0, 1};
      for (const auto& epilogue : epilogues)
        if (is(("cublasLtMatmul, " + std::string(epilogue.name)).c_str()))
          product[7] = epilogue.number;
      const bool is_backward = product[7] == 208 || product[7] == 4;
      product[8] =
          reinterpret_cast<int64_t>(product[7] == 4 ? static_cast<char*>(b) + 2048 : c + 2048);
      product[11] =
          reinterpret_cast<int64_t>(is_backward ? static_cast<char*>(b) + 2048 : c + 1024);
      product[12] = product[7] == 130 ? 128 : 8;
      product[22] = product[26] = -1;
      if (std::getenv("OTHER_EPILOGUE") != nullptr)
        static_cast<char*>(b)[2048] ^= 1;
      if (product[7] == 130)
        of_a[2] = of_d[2] = 19, of_a[4] = of_d[4] = 20;
      const auto opaque = [](const int64_t* numbers) {
        return reinterpret_cast<Opaque>(const_cast<int64_t*>(numbers));
      };
      void* const d = by_pointers != 0 ? static_cast<void*>(const_cast<void**>(several_c)) : c;
      const void* const from = by_pointers != 0 ? static_cast<const void*>(several_a) : a;
      const void* const from_b = by_pointers != 0 ? static_cast<const void*>(several_a) : b;
      status = CALL(cublasLtMatmul)(nullptr, opaque(product), &one, from, opaque(of_a), from_b,
                                    opaque(of_b), &beta, d, opaque(of_d), d, opaque(of_d), nullptr,
                                    nullptr, 0, stream);
    }
    if (is("ncclAllReduce"))
      status = CALL(ncclAllReduce)(a, c, 100, 7, 0, nullptr, stream);
    if (is("ncclAllReduce of products"))
      status = CALL(ncclAllReduce)(a, c, 100, 7, 1, nullptr, stream);
    if (is("ncclAllReduce in place"))
      status = CALL(ncclAllReduce)(c, c, 100, 7, 0, nullptr, stream);
    const Opaque communicator = number(0xCC);
    if (is("ncclReduceScatter"))
      status = CALL(ncclReduceScatter)(a, c, 100, 7, 0, communicator, stream);
    if (is("ncclReduce"))
      status = CALL(ncclReduce)(a, c, 100, 7, 0, 1, communicator, stream);
    if (is("ncclReduce elsewhere"))
      status = CALL(ncclReduce)(a, c, 100, 7, 0, 0, communicator, stream);
    if (is("group"))
      status = CALL(ncclGroupStart)();
    if (is("end of group"))
      status = CALL(ncclGroupEnd)();
    if (is("kernel")) {
      void* target = a;
      void* arguments[] = {&target};
      status = CALL(cuLaunchKernel)(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    }
    // A result whose rows have gaps.
    Tensor x{{2, 3, 4, 5}, {60, 20, 5, 1}}, y{{2, 3, 4, 5}, {96, 32, 8, 1}};
    // Numbers that differ alone.
    Tensor parameters{{1, 3, 1, 1}, {3, 1, 1, 1}};
    char* const bytes_of_b = static_cast<char*>(b);
    const double epsilon = std::getenv("OTHER_EPSILON") != nullptr ? 1e-3 : 1e-5;
    // Statistics lie behind y.
    if (is("cudnnBatchNormalizationForwardTrainingEx") || is("the first batch"))
      status = CALL(cudnnBatchNormalizationForwardTrainingEx)(
          number(1), 1, 0, &one, &beta, &x, a, &x, nullptr, &y, c, &parameters, b, bytes_of_b + 16,
          is("the first batch") ? 1.0 : 0.1, c + 2048, c + 2064, epsilon, c + 2080, c + 2096,
          nullptr, nullptr, 0, nullptr, 0);
    if (is("cudnnBatchNormalizationBackwardEx") ||
        is("cudnnBatchNormalizationBackwardEx, activated"))
      status = CALL(cudnnBatchNormalizationBackwardEx)(
          number(1), 1, is("cudnnBatchNormalizationBackwardEx") ? 0 : 1, &one, &beta, &one, &beta,
          &x, a, &y, nullptr, &x, b, &x, nullptr, &y, c, &parameters, b, nullptr, c + 2048,
          c + 2064, epsilon, bytes_of_b + 32, bytes_of_b + 48, nullptr, nullptr, 0, nullptr, 0);
    if (is("cudnnBatchNormalizationForwardInference"))
      status = CALL(cudnnBatchNormalizationForwardInference)(
          number(1), 1, &one, &beta, &x, a, &y, c, &parameters, b, bytes_of_b + 16, bytes_of_b + 32,
          bytes_of_b + 48, epsilon);
    if (is("cudnnBackendExecute"))
      status = CALL(cudnnBackendExecute)(number(1), number(2), number(3));
    if (is("graph in place"))
      status = run_graph("", c, c);
    if (std::strncmp(argv[i], "graph: ", 7) == 0)
      status = run_graph(argv[i] + 7, a, c);
    const auto tail = static_cast<DevicePointer>(reinterpret_cast<uintptr_t>(c));
    if (is("copy"))
      status = CALL(cuMemcpyDtoHAsync_v2)(host, tail, sizeof host, stream);
    if (is("copy and wait"))
      status = CALL(cuMemcpyDtoH_v2)(host, tail, sizeof host);
    if (is("wait"))
      status = CALL(cuStreamSynchronize)(stream);
    if (is("wait for all"))
      status = CALL(cuCtxSynchronize)();
    if (is("event"))
      status = CALL(cuEventRecord)(number(96), stream);
    if (is("wait for event"))
      status = CALL(cuEventQuery)(number(96));
    if (is("say")) {
      unsigned sum = 0;
      for (int k = 0; k < 1024; ++k)
        sum += static_cast<unsigned char>(c[k]);
      std::printf("sum %u\n", sum);
    }
    std::printf("%s=%d\n", argv[i], status);
  }
}
