// What products with a sparse matrix read and write, for DETSHIM_FINGERPRINT=calls: as their descriptors say.
#pragma once

#include "abi/cusparse.h"
#include "hooks/cuda/outputs.h"
#include "hooks/support/data_sizes.h"

namespace detshim {

struct SparseProduct {
  abi::cusparseHandle_t handle;
  abi::cusparseOperation operation;
  abi::cusparseConstSpMatDescr_t matrix;
  const void* beta;
  abi::cudaDataType scale_type;
  abi::cusparseOperation operation_b = abi::cusparseOperation::non_transpose;
};

/// A dense vector or matrix; without width where the library cannot be asked. Names the getter.
HashedArea area_of(const Hook& hook, abi::cusparseConstDnVecDescr_t vector);
HashedArea area_of(const Hook& hook, abi::cusparseConstDnMatDescr_t matrix);

void add_sparse_product(const Hook& hook, CallOutputs& outputs, const SparseProduct& product,
                        const HashedArea& input, const HashedArea& result);

/// Makes the call by run(), hashed if that is wanted. The preparation of a product gives nothing.
template <typename Call, typename Input, typename Result, typename Run>
abi::cusparseStatus print_sparse_product(const Call& call, const SparseProduct& product, Input input,
                                         Result result, Run run) {
  if (!wants_outputs(call) || ends_with(call.hook().info().name, "preprocess")) return run();
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        add_sparse_product(call.hook(), outputs, product, area_of(call.hook(), input),
                           area_of(call.hook(), result));
      },
      run);
}

} // namespace detshim
