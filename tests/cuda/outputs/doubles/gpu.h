// The functions of the driver, cuBLAS, cuBLASLt and NCCL that their doubles answer, written down by
// hand so that the tests build without the toolkit, after CUDA 13.0 and NCCL 2.28; enumerations are
// passed as int.
#pragma once

#include "opaque.h"

#include <cstddef>
#include <cstdint>

using DevicePointer = uint64_t;

/// What the double of cuDNN takes for descriptors.
struct Tensor {
  int sizes[4], strides[4];
};

extern "C" {

int cuMemAlloc_v2(DevicePointer* memory, size_t size);
int cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t size);
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t size, Opaque stream);
int cuLaunchKernel(Opaque function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Opaque stream, void** arguments, void** extra);
int cuLaunchHostFunc(Opaque stream, void (*function)(void*), void* data);
int cuStreamSynchronize(Opaque stream);
int cuEventRecord(Opaque event, Opaque stream);
int cuEventQuery(Opaque event);
int cuCtxSynchronize();
int cuCtxGetCurrent(Opaque* context);
int cuCtxGetId(Opaque context, unsigned long long* id);
int cuCtxPushCurrent_v2(Opaque context);
int cuCtxPopCurrent_v2(Opaque* context);
int cuStreamGetCtx(Opaque stream, Opaque* context);
int cuStreamIsCapturing(Opaque stream, int* status);
int cuCtxDestroy_v2(Opaque context);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRetain(Opaque* context, int device);
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* is_active);
int cuStreamBeginCapture_v2(Opaque stream, int mode);
int cuStreamEndCapture(Opaque stream, Opaque* graph);
int cuGraphInstantiateWithFlags(Opaque* executable, Opaque graph, unsigned long long flags);
int cuGraphLaunch(Opaque executable, Opaque stream);
int cuThreadExchangeStreamCaptureMode(int* mode);
int cuModuleLoadData(Opaque* module, const void* image);
int cuModuleGetFunction(Opaque* function, Opaque module, const char* name);
int cuMemHostRegister_v2(void* memory, size_t size, unsigned flags);
int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* memory, unsigned flags);
int cuMemGetAddressRange_v2(DevicePointer* start, size_t* size, DevicePointer pointer);
int cuPointerGetAttribute(void* data, int attribute, DevicePointer pointer);

int cublasCreate_v2(Opaque* handle);
int cublasSetStream_v2(Opaque handle, Opaque stream);
int cublasGetStream_v2(Opaque handle, Opaque* stream);
int cublasSetPointerMode_v2(Opaque handle, int mode);
int cublasGetPointerMode_v2(Opaque handle, int* mode);
int cublasGetProperty(int type, int* value);
int cublasSgemm_v2(Opaque handle, int ta, int tb, int m, int n, int k, const float* alpha,
                   const void* a, int lda, const void* b, int ldb, const float* beta, void* c,
                   int ldc);
int cublasSgemmBatched(Opaque handle, int ta, int tb, int m, int n, int k, const float* alpha,
                       const void* const* a, int lda, const void* const* b, int ldb,
                       const float* beta, void* const* c, int ldc, int batches);
int cublasSgemmStridedBatched(Opaque handle, int ta, int tb, int m, int n, int k,
                              const float* alpha, const void* a, int lda, long long a_step,
                              const void* b, int ldb, long long b_step, const float* beta, void* c,
                              int ldc, long long c_step, int batches);
int cublasGemmEx(Opaque handle, int ta, int tb, int m, int n, int k, const void* alpha,
                 const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                 const void* beta, void* c, int c_type, int ldc, int compute, int algo);
int cublasSgemv_v2(Opaque handle, int ta, int m, int n, const float* alpha, const void* a, int lda,
                   const void* x, int x_step, const float* beta, void* y, int y_step);
int cublasDtrsm_v2(Opaque handle, int side, int fill, int ta, int diagonal, int m, int n,
                   const double* alpha, const void* a, int lda, void* b, int ldb);

size_t cublasLtGetVersion();
int cublasLtGetProperty(int type, int* value);
int cublasLtMatrixLayoutGetAttribute(Opaque layout, int attribute, void* value, size_t size,
                                     size_t* written);
int cublasLtMatmulDescGetAttribute(Opaque descriptor, int attribute, void* value, size_t size,
                                   size_t* written);
int cublasLtMatmul(Opaque handle, Opaque operation, const void* alpha, const void* a,
                   Opaque a_layout, const void* b, Opaque b_layout, const void* beta, const void* c,
                   Opaque c_layout, void* d, Opaque d_layout, const void* algo, void* workspace,
                   size_t workspace_size, Opaque stream);

int ncclGetVersion(int* version);
int ncclCommCount(Opaque communicator, int* count);
int ncclCommUserRank(Opaque communicator, int* rank);
int ncclGroupStart();
int ncclGroupEnd();
int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation,
                  Opaque communicator, Opaque stream);
int ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation,
                      Opaque communicator, Opaque stream);
int ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root,
               Opaque communicator, Opaque stream);

int cudnnBatchNormalizationForwardInference(Opaque handle, int mode, const void* alpha,
                                            const void* beta, Opaque x, const void* x_data,
                                            Opaque y, void* y_data, Opaque parameters,
                                            const void* scale, const void* bias, const void* mean,
                                            const void* variance, double epsilon);
int cudnnBatchNormalizationForwardTrainingEx(
    Opaque handle, int mode, int operations, const void* alpha, const void* beta, Opaque x,
    const void* x_data, Opaque z, const void* z_data, Opaque y, void* y_data, Opaque parameters,
    const void* scale, const void* bias, double factor, void* mean, void* variance, double epsilon,
    void* saved_mean, void* saved_variance, Opaque activation, void* workspace,
    size_t workspace_size, void* reserve, size_t reserve_size);
int cudnnBatchNormalizationBackwardEx(
    Opaque handle, int mode, int operations, const void* alpha, const void* beta,
    const void* parameter_alpha, const void* parameter_beta, Opaque x, const void* x_data, Opaque y,
    const void* y_data, Opaque dy, const void* dy_data, Opaque dz, void* dz_data, Opaque dx,
    void* dx_data, Opaque parameters, const void* scale, const void* bias, void* d_scale,
    void* d_bias, double epsilon, const void* saved_mean, const void* saved_variance,
    Opaque activation, void* workspace, size_t workspace_size, void* reserve, size_t reserve_size);
int cudnnBackendCreateDescriptor(int type, Opaque* descriptor);
int cudnnBackendSetAttribute(Opaque descriptor, int name, int type, int64_t count,
                             const void* elements);
int cudnnBackendFinalize(Opaque descriptor);
int cudnnBackendDestroyDescriptor(Opaque descriptor);
int cudnnBackendExecute(Opaque handle, Opaque plan, Opaque variant_pack);
int cudnnBackendPopulateCudaGraph(Opaque handle, Opaque plan, Opaque variant_pack, Opaque graph);
/// To the double alone: what the next plan that runs leaves where, of which input. May be called
/// repeatedly.
void plan_writes(const void* input, void* to, size_t width, size_t rows, size_t pitch);

} // extern "C"
