// A fixed sparse matrix for the cuSPARSE programs: a few rows are very long, so that many blocks of
// threads share one and add to the same place.
#pragma once

#include "gpu.h"

#include <cusparse.h>

namespace gpu {

template <>
inline const char* describe(cusparseStatus_t status) {
  return cusparseGetErrorString(status);
}

template <>
inline bool is_unsupported(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_NOT_SUPPORTED;
}

template <class T>
struct CusparseType;
template <>
struct CusparseType<float> {
  static constexpr cudaDataType_t value = CUDA_R_32F;
  static constexpr const char* name = "float";
};
template <>
struct CusparseType<double> {
  static constexpr cudaDataType_t value = CUDA_R_64F;
  static constexpr const char* name = "double";
};

constexpr int sparse_rows = 4096, sparse_columns = 1 << 16;

/// The indices, by rows, on the host.
struct SparsePattern {
  std::vector<int> offsets{0}, rows, columns;

  SparsePattern() {
    for (int row = 0; row < sparse_rows; ++row) {
      const int length = row % 256 == 0 ? sparse_columns / 2 : 16;
      const int step = sparse_columns / length;
      for (int i = 0; i < length; ++i) {
        rows.push_back(row);
        columns.push_back(i * step + row % step);
      }
      offsets.push_back(static_cast<int>(columns.size()));
    }
  }
};

enum class Format { csr, coo };
inline const char* name(Format format) { return format == Format::csr ? "csr" : "coo"; }

template <class T>
class SparseMatrix {
public:
  SparseMatrix(Format format, const SparsePattern& pattern)
      : rows_(format == Format::csr ? pattern.offsets : pattern.rows), columns_(pattern.columns),
        values_(fixed<T>(pattern.columns.size(), 1, 8)) {
    const auto count = static_cast<int64_t>(values_.size());
    if (format == Format::csr)
      CHECK(cusparseCreateCsr(&descriptor_, sparse_rows, sparse_columns, count, rows_.get(),
                              columns_.get(), values_.get(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CusparseType<T>::value));
    else
      CHECK(cusparseCreateCoo(&descriptor_, sparse_rows, sparse_columns, count, rows_.get(),
                              columns_.get(), values_.get(), CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CusparseType<T>::value));
  }
  ~SparseMatrix() { cusparseDestroySpMat(descriptor_); }
  SparseMatrix(const SparseMatrix&) = delete;
  SparseMatrix& operator=(const SparseMatrix&) = delete;

  cusparseSpMatDescr_t get() const { return descriptor_; }

private:
  Device<int> rows_, columns_;
  Device<T> values_;
  cusparseSpMatDescr_t descriptor_ = nullptr;
};

/// y = op(A) x with the algorithm that is asked for.
template <class T>
void multiply_vector(cusparseHandle_t handle, Format format, const SparsePattern& pattern,
                     cusparseOperation_t operation, cusparseSpMVAlg_t algorithm,
                     const std::string& variant) {
  const bool as_it_is = operation == CUSPARSE_OPERATION_NON_TRANSPOSE;
  const int from = as_it_is ? sparse_columns : sparse_rows,
            to = as_it_is ? sparse_rows : sparse_columns;
  const SparseMatrix<T> a(format, pattern);
  const Device<T> x(fixed<T>(static_cast<size_t>(from), 2, 8)), y(static_cast<size_t>(to));
  const T one = 1, zero = 0;
  cusparseDnVecDescr_t x_vector = nullptr, y_vector = nullptr;
  CHECK(cusparseCreateDnVec(&x_vector, from, x.get(), CusparseType<T>::value));
  CHECK(cusparseCreateDnVec(&y_vector, to, y.get(), CusparseType<T>::value));
  attempt(variant, [&] {
    size_t bytes = 0;
    CHECK(cusparseSpMV_bufferSize(handle, operation, &one, a.get(), x_vector, &zero, y_vector,
                                  CusparseType<T>::value, algorithm, &bytes));
    const Device<char> buffer(bytes);
    work(20, [&] {
      CHECK(cusparseSpMV(handle, operation, &one, a.get(), x_vector, &zero, y_vector,
                         CusparseType<T>::value, algorithm, buffer.get()));
    });
    print(variant, y);
  });
  CHECK(cusparseDestroyDnVec(x_vector));
  CHECK(cusparseDestroyDnVec(y_vector));
}

} // namespace gpu
