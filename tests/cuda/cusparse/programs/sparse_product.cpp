// An ordinary user of cuSPARSE: multiplies by a sparse matrix as the documentation says: asks how
// large a buffer the product needs, prepares, multiplies.
//
//   sparse_product spmv|spmm csr|csr64|csc|coo|bsr OPERATION ALGORITHM [HOW]
//   sparse_product reuse ALGORITHM      SpGEMMreuse, all phases
//   sparse_product create
//
// HOW is what a program may do that the documentation does not say, and that works for the usual
// algorithms:
//   never    never asks for the size: it knows that 256 bytes do
//   null     asks, and brings no buffer
//   reborn   destroys the matrix and makes another one, for which it does not ask
//   wider    asks for one column, and multiplies by four
//   other    asks for the product of the other kind alone
// and what it does say:
//   both     asks for four columns and then for one, and has a buffer for either; multiplies by
//   four
#include "call.h"

#include "cusparse.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

Opaque make_matrix(const std::string& format) {
  Opaque matrix = nullptr;
  constexpr int indices_of_32_bits = 2, of_64 = 3;
  static int row_offsets[] = {0, 2, 2, 3, 4};
  if (format == "csr" || format == "csr64")
    CALL(cusparseCreateCsr)
  (&matrix, 4, 4, 4, row_offsets, nullptr, nullptr, indices_of_32_bits,
   format == "csr" ? indices_of_32_bits : of_64, 0, 0);
  else if (format == "csc")
      CALL(cusparseCreateCsc)(&matrix, 4, 4, 4, nullptr, nullptr, nullptr, 0, 0, 0, 0);
  else if (format == "coo")
      CALL(cusparseCreateCoo)(&matrix, 4, 4, 4, nullptr, nullptr, nullptr, 0, 0, 0);
  else CALL(cusparseCreateBsr)(&matrix, 2, 2, 2, 2, 2, nullptr, nullptr, nullptr, 0, 0, 0, 0, 0);
  return matrix;
}

/// A buffer that tells whether more was written than it holds.
class Buffer {
public:
  explicit Buffer(size_t size) : size_(size), bytes_(size + 65536, 0x5A) {}
  void* data() { return bytes_.data(); }
  bool is_overrun() const {
    for (size_t i = size_; i < bytes_.size(); ++i)
      if (bytes_[i] != 0x5A)
        return true;
    return false;
  }

private:
  size_t size_;
  std::vector<unsigned char> bytes_;
};

int reuse(Opaque handle, int algorithm) {
  size_t sizes[5] = {};
  char a, b, c, descriptor, buffers[5];
  std::printf("estimate=%d\n",
              CALL(cusparseSpGEMMreuse_workEstimation)(handle, 0, 0, &a, &b, &c, algorithm,
                                                       &descriptor, &sizes[0], &buffers[0]));
  std::printf("nnz=%d\n", CALL(cusparseSpGEMMreuse_nnz)(
                              handle, 0, 0, &a, &b, &c, algorithm, &descriptor, &sizes[1],
                              &buffers[1], &sizes[2], &buffers[2], &sizes[3], &buffers[3]));
  std::printf("copy=%d\n", CALL(cusparseSpGEMMreuse_copy)(handle, 0, 0, &a, &b, &c, algorithm,
                                                          &descriptor, &sizes[4], &buffers[4]));
  std::printf("compute=%d\n",
              CALL(cusparseSpGEMMreuse_compute)(handle, 0, 0, nullptr, &a, &b, nullptr, &c, 17,
                                                algorithm, &descriptor));
  std::printf("sizes=%zu %zu %zu %zu %zu\n", sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string kind = arguments.at(0);
  Opaque handle = nullptr;
  std::printf("create=%d\n", CALL(cusparseCreate)(&handle));
  if (kind == "reuse")
    return reuse(handle, std::stoi(arguments.at(1)));
  if (kind == "create")
    return 0;

  const bool vector = kind == "spmv";
  const std::string format = arguments.at(1);
  const int operation = std::stoi(arguments.at(2)), algorithm = std::stoi(arguments.at(3));
  const std::string how = arguments.size() > 4 ? arguments.at(4) : "";

  const float one = 1;
  Opaque matrix = make_matrix(format), dense = nullptr, wide = nullptr, result = nullptr;
  if (vector) {
    CALL(cusparseCreateDnVec)(&dense, 4, nullptr, 0);
    CALL(cusparseCreateDnVec)(&result, 4, nullptr, 0);
  } else {
    CALL(cusparseCreateDnMat)(&dense, 4, 1, 4, nullptr, 0, 1);
    CALL(cusparseCreateDnMat)(&wide, 4, 4, 4, nullptr, 0, 1);
    CALL(cusparseCreateDnMat)(&result, 4, 4, 4, nullptr, 0, 1);
  }

  size_t size = 256, wide_size = 0;
  if (how == "both")
    CALL(cusparseSpMM_bufferSize)
  (handle, operation, 0, &one, matrix, wide, &one, result, 0, algorithm, &wide_size);
  if (how == "other") {
    Opaque of_other_kind = nullptr;
    size_t other_size = 0;
    if (vector) {
      CALL(cusparseCreateDnMat)(&of_other_kind, 4, 1, 4, nullptr, 0, 1);
      CALL(cusparseSpMM_bufferSize)
      (handle, 0, 0, &one, matrix, of_other_kind, &one, of_other_kind, 0, 0, &other_size);
    } else {
      CALL(cusparseCreateDnVec)(&of_other_kind, 4, nullptr, 0);
      CALL(cusparseSpMV_bufferSize)
      (handle, 0, &one, matrix, of_other_kind, &one, of_other_kind, 0, 0, &other_size);
    }
  } else if (how != "never") {
    const int status =
        vector ? CALL(cusparseSpMV_bufferSize)(handle, operation, &one, matrix, dense, &one, result,
                                               0, algorithm, &size)
               : CALL(cusparseSpMM_bufferSize)(handle, operation, 0, &one, matrix, dense, &one,
                                               result, 0, algorithm, &size);
    std::printf("size=%d bytes=%zu\n", status, size);
    if (size < wide_size)
      size = wide_size;
  }
  if (how == "reborn") {
    CALL(cusparseDestroySpMat)(matrix);
    matrix = make_matrix(format);
    size = 256;
  }
  if (how == "wider" || how == "both")
    dense = wide;

  Buffer buffer(size);
  void* const memory = how == "null" ? nullptr : buffer.data();
  if (vector) {
    std::printf("prepare=%d\n",
                CALL(cusparseSpMV_preprocess)(handle, operation, &one, matrix, dense, &one, result,
                                              0, algorithm, memory));
    std::printf("run=%d\n", CALL(cusparseSpMV)(handle, operation, &one, matrix, dense, &one, result,
                                               0, algorithm, memory));
  } else {
    std::printf("prepare=%d\n",
                CALL(cusparseSpMM_preprocess)(handle, operation, 0, &one, matrix, dense, &one,
                                              result, 0, algorithm, memory));
    std::printf("run=%d\n", CALL(cusparseSpMM)(handle, operation, 0, &one, matrix, dense, &one,
                                               result, 0, algorithm, memory));
  }
  std::printf("%s\n", buffer.is_overrun() ? "overrun" : "fits");
  CALL(cusparseDestroySpMat)(matrix);
  CALL(cusparseDestroy)(handle);
}
