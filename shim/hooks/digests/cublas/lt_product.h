// What cublasLtMatmul reads and writes, and how its descriptors are asked.
#pragma once

#include "abi/cublaslt.h"
#include "hooks/digests/call_digest.h"

namespace detshim {

/// What a descriptor's attributes are.
class LtDescriptor {
public:
  LtDescriptor(const Hook& hook, abi::cublasLtMatmulDesc_t operation);
  LtDescriptor(const Hook& hook, abi::cublasLtMatrixLayout_t layout);

  /// The first bytes of a value; false where the library's version does not know the attribute.
  bool ask(int attribute, void* value, size_t size) const;
  template <typename Value>
  bool ask(int attribute, Value& value) const {
    return ask(attribute, &value, sizeof value);
  }

private:
  using Get = abi::cublasStatus(const void*, int, void*, size_t, size_t*);

  Get* get_;
  const void* descriptor_;
};

void describe_lt_product(CallDigest& digest, abi::cublasLtHandle_t handle,
                         abi::cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                         abi::cublasLtMatrixLayout_t a_layout, const void* b,
                         abi::cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                         abi::cublasLtMatrixLayout_t c_layout, void* d,
                         abi::cublasLtMatrixLayout_t d_layout, const abi::cublasLtMatmulAlgo* algo,
                         void* workspace, size_t workspace_size, abi::cudaStream_t stream);

} // namespace detshim
