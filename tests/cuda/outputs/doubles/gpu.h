// The functions of the driver, cuBLAS, cuBLASLt and NCCL that their doubles answer, written down by hand so
// that the tests build without the toolkit, after CUDA 13.0 and NCCL 2.28; enumerations are passed as int.
#pragma once

#include "opaque.h"

#include <cstddef>
#include <cstdint>

using DevicePointer = uint64_t;

/// What the doubles of cuSPARSE and cuDNN take for descriptors.
struct Sparse {
  int64_t rows, columns, count;
  void *offsets, *indices, *values;
};
struct Dense {
  int64_t rows, columns, leading;
  void* values;
};
struct Tensor {
  int sizes[4], strides[4];
};
struct Sequences {
  int layout, longest, width;
  int lengths[2];
};
/// Any descriptor that says how a layer works, by its numbers; of a dropout the states too, of a network or
/// an attention its dropout.
struct Settings {
  int numbers[8];
  double scale;
  void* states;
  Settings* dropout;
};

extern "C" {

int cuMemAlloc_v2(DevicePointer* memory, size_t size);
int cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t size);
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t size, Opaque stream);
int cuLaunchKernel(Opaque function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, Opaque stream, void** arguments,
                   void** extra);
int cuLaunchHostFunc(Opaque stream, void (*function)(void*), void* data);
int cuStreamSynchronize(Opaque stream);
int cuEventRecord(Opaque event, Opaque stream);
int cuEventQuery(Opaque event);
int cuCtxSynchronize();
int cuCtxGetCurrent(Opaque* context);
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
int cublasSgemm_v2(Opaque handle, int ta, int tb, int m, int n, int k, const float* alpha, const void* a,
                   int lda, const void* b, int ldb, const float* beta, void* c, int ldc);
int cublasHgemm_64(Opaque handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void* alpha,
                   const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c,
                   int64_t ldc);
int cublasSgemmBatched(Opaque handle, int ta, int tb, int m, int n, int k, const float* alpha,
                       const void* const* a, int lda, const void* const* b, int ldb, const float* beta,
                       void* const* c, int ldc, int batches);
int cublasSgemmStridedBatched(Opaque handle, int ta, int tb, int m, int n, int k, const float* alpha,
                              const void* a, int lda, long long a_step, const void* b, int ldb,
                              long long b_step, const float* beta, void* c, int ldc, long long c_step,
                              int batches);
int cublasGemmEx(Opaque handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a,
                 int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c,
                 int c_type, int ldc, int compute, int algo);
int cublasSgemv_v2(Opaque handle, int ta, int m, int n, const float* alpha, const void* a, int lda,
                   const void* x, int x_step, const float* beta, void* y, int y_step);
int cublasSsyrk_v2(Opaque handle, int fill, int ta, int n, int k, const float* alpha, const void* a, int lda,
                   const float* beta, void* c, int ldc);
int cublasDtrsm_v2(Opaque handle, int side, int fill, int ta, int diagonal, int m, int n, const double* alpha,
                   const void* a, int lda, void* b, int ldb);

size_t cublasLtGetVersion();
int cublasLtGetProperty(int type, int* value);
int cublasLtMatrixLayoutGetAttribute(Opaque layout, int attribute, void* value, size_t size, size_t* written);
int cublasLtMatmulDescGetAttribute(Opaque descriptor, int attribute, void* value, size_t size,
                                   size_t* written);
int cublasLtMatmul(Opaque handle, Opaque operation, const void* alpha, const void* a, Opaque a_layout,
                   const void* b, Opaque b_layout, const void* beta, const void* c, Opaque c_layout, void* d,
                   Opaque d_layout, const void* algo, void* workspace, size_t workspace_size, Opaque stream);

int ncclGetVersion(int* version);
int ncclCommCount(Opaque communicator, int* count);
int ncclCommUserRank(Opaque communicator, int* rank);
int ncclGroupStart();
int ncclGroupEnd();
int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, Opaque communicator,
                  Opaque stream);
int ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation, Opaque communicator,
                      Opaque stream);
int ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root,
               Opaque communicator, Opaque stream);
int ncclAllGather(const void* from, void* to, size_t count, int type, Opaque communicator, Opaque stream);
int ncclBroadcast(const void* from, void* to, size_t count, int type, int root, Opaque communicator,
                  Opaque stream);

int cusparseSpMV(Opaque handle, int operation, const void* alpha, Opaque matrix, Opaque x, const void* beta,
                 Opaque y, int type, int algorithm, void* buffer);
int cusparseSpMM(Opaque handle, int operation, int operation_b, const void* alpha, Opaque matrix, Opaque b,
                 const void* beta, Opaque c, int type, int algorithm, void* buffer);

int cusparseSpGEMM_copy(Opaque handle, int operation_a, int operation_b, const void* alpha, Opaque a,
                        Opaque b, const void* beta, Opaque c, int type, int algorithm, Opaque descriptor);
int cusparseSpGEMMreuse_compute(Opaque handle, int operation_a, int operation_b, const void* alpha, Opaque a,
                                Opaque b, const void* beta, Opaque c, int type, int algorithm,
                                Opaque descriptor);

int cudnnGetFilterSizeInBytes(Opaque descriptor, size_t* size);
int cudnnConvolutionForward(Opaque handle, const void* alpha, Opaque x, const void* x_data, Opaque w,
                            const void* w_data, Opaque convolution, int algorithm, void* workspace,
                            size_t size, const void* beta, Opaque y, void* y_data);
int cudnnConvolutionBackwardData(Opaque handle, const void* alpha, Opaque w, const void* w_data, Opaque dy,
                                 const void* dy_data, Opaque convolution, int algorithm, void* workspace,
                                 size_t size, const void* beta, Opaque dx, void* dx_data);
int cudnnConvolutionBackwardFilter(Opaque handle, const void* alpha, Opaque x, const void* x_data, Opaque dy,
                                   const void* dy_data, Opaque convolution, int algorithm, void* workspace,
                                   size_t size, const void* beta, Opaque dw, void* dw_data);
int cudnnBatchNormalizationForwardTraining(Opaque handle, int mode, const void* alpha, const void* beta,
                                           Opaque x, const void* x_data, Opaque y, void* y_data,
                                           Opaque parameters, const void* scale, const void* bias,
                                           double factor, void* mean, void* variance, double epsilon,
                                           void* saved_mean, void* saved_variance);
int cudnnBatchNormalizationBackwardEx(Opaque handle, int mode, int operations, const void* alpha,
                                      const void* beta, const void* parameter_alpha,
                                      const void* parameter_beta, Opaque x, const void* x_data, Opaque y,
                                      const void* y_data, Opaque dy, const void* dy_data, Opaque dz,
                                      void* dz_data, Opaque dx, void* dx_data, Opaque parameters,
                                      const void* scale, const void* bias, void* d_scale, void* d_bias,
                                      double epsilon, const void* saved_mean, const void* saved_variance,
                                      Opaque activation, void* workspace, size_t workspace_size,
                                      void* reserve, size_t reserve_size);
int cudnnNormalizationForwardInference(Opaque handle, int mode, int operations, int algorithm,
                                       const void* alpha, const void* beta, Opaque x, const void* x_data,
                                       Opaque parameters, const void* scale, const void* bias,
                                       Opaque statistics, const void* mean, const void* variance, Opaque z,
                                       const void* z_data, Opaque activation, Opaque y, void* y_data,
                                       double epsilon, int groups);
int cudnnRNNForward(Opaque handle, Opaque rnn, int mode, const int32_t* lengths, Opaque x, const void* x_data,
                    Opaque y, void* y_data, Opaque h, const void* hx, void* hy, Opaque c, const void* cx,
                    void* cy, size_t weights_size, const void* weights, size_t workspace_size,
                    void* workspace, size_t reserve_size, void* reserve);
int cudnnRNNBackwardWeights_v8(Opaque handle, Opaque rnn, int add, const int32_t* lengths, Opaque x,
                               const void* x_data, Opaque h, const void* hx, Opaque y, const void* y_data,
                               size_t weights_size, void* dweights, size_t workspace_size, void* workspace,
                               size_t reserve_size, void* reserve);
int cudnnRNNBackwardData_v8(Opaque handle, Opaque rnn, const int32_t* lengths, Opaque y, const void* y_data,
                            const void* dy, Opaque x, void* dx, Opaque h, const void* hx, const void* dhy,
                            void* dhx, Opaque c, const void* cx, const void* dcy, void* dcx,
                            size_t weights_size, const void* weights, size_t workspace_size, void* workspace,
                            size_t reserve_size, void* reserve);
int cudnnMultiHeadAttnForward(Opaque handle, Opaque attention, int current, const int* low, const int* high,
                              const int* lengths_q, const int* lengths_k, Opaque q, const void* queries,
                              const void* residuals, Opaque k, const void* keys, Opaque v, const void* values,
                              Opaque o, void* out, size_t weights_size, const void* weights,
                              size_t workspace_size, void* workspace, size_t reserve_size, void* reserve);
int cudnnMultiHeadAttnBackwardData(Opaque handle, Opaque attention, const int* low, const int* high,
                                   const int* lengths_q, const int* lengths_k, Opaque o, const void* dout,
                                   Opaque q, void* dqueries, const void* queries, Opaque k, void* dkeys,
                                   const void* keys, Opaque v, void* dvalues, const void* values,
                                   size_t weights_size, const void* weights, size_t workspace_size,
                                   void* workspace, size_t reserve_size, void* reserve);
int cudnnMultiHeadAttnBackwardWeights(Opaque handle, Opaque attention, int add, Opaque q, const void* queries,
                                      Opaque k, const void* keys, Opaque v, const void* values, Opaque o,
                                      const void* dout, size_t weights_size, const void* weights,
                                      void* dweights, size_t workspace_size, void* workspace,
                                      size_t reserve_size, void* reserve);
int cudnnPoolingForward(Opaque handle, Opaque pooling, const void* alpha, Opaque x, const void* x_data,
                        const void* beta, Opaque y, void* y_data);
int cudnnPoolingBackward(Opaque handle, Opaque pooling, const void* alpha, Opaque y, const void* y_data,
                         Opaque dy, const void* dy_data, Opaque x, const void* x_data, const void* beta,
                         Opaque dx, void* dx_data);
int cudnnActivationForward(Opaque handle, Opaque activation, const void* alpha, Opaque x, const void* x_data,
                           const void* beta, Opaque y, void* y_data);
int cudnnActivationBackward(Opaque handle, Opaque activation, const void* alpha, Opaque y, const void* y_data,
                            Opaque dy, const void* dy_data, Opaque x, const void* x_data, const void* beta,
                            Opaque dx, void* dx_data);
int cudnnLRNCrossChannelForward(Opaque handle, Opaque normalization, int mode, const void* alpha, Opaque x,
                                const void* x_data, const void* beta, Opaque y, void* y_data);
int cudnnLRNCrossChannelBackward(Opaque handle, Opaque normalization, int mode, const void* alpha, Opaque y,
                                 const void* y_data, Opaque dy, const void* dy_data, Opaque x,
                                 const void* x_data, const void* beta, Opaque dx, void* dx_data);
int cudnnSoftmaxForward(Opaque handle, int algorithm, int mode, const void* alpha, Opaque x,
                        const void* x_data, const void* beta, Opaque y, void* y_data);
int cudnnSoftmaxBackward(Opaque handle, int algorithm, int mode, const void* alpha, Opaque y,
                         const void* y_data, Opaque dy, const void* dy_data, const void* beta, Opaque dx,
                         void* dx_data);
int cudnnAddTensor(Opaque handle, const void* alpha, Opaque a, const void* a_data, const void* beta, Opaque c,
                   void* c_data);
int cudnnTransformTensor(Opaque handle, const void* alpha, Opaque x, const void* x_data, const void* beta,
                         Opaque y, void* y_data);
int cudnnConvolutionBackwardBias(Opaque handle, const void* alpha, Opaque dy, const void* dy_data,
                                 const void* beta, Opaque db, void* db_data);
int cudnnOpTensor(Opaque handle, Opaque operation, const void* alpha_a, Opaque a, const void* a_data,
                  const void* alpha_b, Opaque b, const void* b_data, const void* beta, Opaque c,
                  void* c_data);
int cudnnReduceTensor(Opaque handle, Opaque reduction, void* indices, size_t indices_size, void* workspace,
                      size_t workspace_size, const void* alpha, Opaque a, const void* a_data,
                      const void* beta, Opaque c, void* c_data);
int cudnnScaleTensor(Opaque handle, Opaque y, void* y_data, const void* alpha);
int cudnnSetTensor(Opaque handle, Opaque y, void* y_data, const void* value);
int cudnnConvolutionBiasActivationForward(Opaque handle, const void* alpha, Opaque x, const void* x_data,
                                          Opaque w, const void* w_data, Opaque convolution, int algorithm,
                                          void* workspace, size_t workspace_size, const void* alpha_z,
                                          Opaque z, const void* z_data, Opaque bias, const void* bias_data,
                                          Opaque activation, Opaque y, void* y_data);
int cudnnDropoutForward(Opaque handle, Opaque dropout, Opaque x, const void* x_data, Opaque y, void* y_data,
                        void* reserve, size_t reserve_size);
int cudnnDropoutBackward(Opaque handle, Opaque dropout, Opaque dy, const void* dy_data, Opaque dx,
                         void* dx_data, void* reserve, size_t reserve_size);
int cudnnSpatialTfSamplerForward(Opaque handle, Opaque transformer, const void* alpha, Opaque x,
                                 const void* x_data, const void* grid, const void* beta, Opaque y,
                                 void* y_data);
int cudnnSpatialTfSamplerBackward(Opaque handle, Opaque transformer, const void* alpha, Opaque x,
                                  const void* x_data, const void* beta, Opaque dx, void* dx_data,
                                  const void* alpha_grid, Opaque dy, const void* dy_data, const void* grid,
                                  const void* beta_grid, void* dgrid);
int cudnnSetSpatialTransformerNdDescriptor(Opaque transformer, int sampler, int type, int count,
                                           const int* sizes);
int cudnnDestroySpatialTransformerDescriptor(Opaque transformer);
int cudnnSpatialTfGridGeneratorForward(Opaque handle, Opaque transformer, const void* theta, void* grid);
int cudnnSpatialTfGridGeneratorBackward(Opaque handle, Opaque transformer, const void* dgrid, void* dtheta);
int cudnnDivisiveNormalizationForward(Opaque handle, Opaque normalization, int mode, const void* alpha,
                                      Opaque x, const void* x_data, const void* means, void* workspace,
                                      void* workspace_2, const void* beta, Opaque y, void* y_data);
int cudnnDivisiveNormalizationBackward(Opaque handle, Opaque normalization, int mode, const void* alpha,
                                       Opaque x, const void* x_data, const void* means, const void* dy_data,
                                       void* workspace, void* workspace_2, const void* beta, Opaque dx,
                                       void* dx_data, void* dmeans);
int cudnnTransformTensorEx(Opaque handle, Opaque transform, const void* alpha, Opaque x, const void* x_data,
                           const void* beta, Opaque y, void* y_data);
int cudnnTransformFilter(Opaque handle, Opaque transform, const void* alpha, Opaque w, const void* w_data,
                         const void* beta, Opaque y, void* y_data);
int cudnnIm2Col(Opaque handle, Opaque x, const void* x_data, Opaque w, Opaque convolution, void* columns);
int cudnnReorderFilterAndBias(Opaque handle, Opaque w, int order, const void* w_data, void* reordered,
                              int is_for_bias, const void* bias, void* reordered_bias);
int cudnnCTCLoss(Opaque handle, Opaque probabilities, const void* probabilities_data, const int* labels,
                 const int* label_lengths, const int* input_lengths, void* costs, Opaque gradients,
                 void* gradients_data, int algorithm, Opaque loss, void* workspace, size_t workspace_size);
int cudnnCTCLoss_v8(Opaque handle, int algorithm, Opaque loss, Opaque probabilities,
                    const void* probabilities_data, const int* labels, const int* label_lengths,
                    const int* input_lengths, void* costs, Opaque gradients, void* gradients_data,
                    size_t workspace_size, void* workspace);
int cudnnBackendCreateDescriptor(int type, Opaque* descriptor);
int cudnnBackendSetAttribute(Opaque descriptor, int name, int type, int64_t count, const void* elements);
int cudnnBackendFinalize(Opaque descriptor);
int cudnnBackendDestroyDescriptor(Opaque descriptor);
int cudnnBackendExecute(Opaque handle, Opaque plan, Opaque variant_pack);
int cudnnBackendPopulateCudaGraph(Opaque handle, Opaque plan, Opaque variant_pack, Opaque graph);
/// To the double alone: what the next plan that runs leaves where, of which input. May be called repeatedly.
void plan_writes(const void* input, void* to, size_t width, size_t rows, size_t pitch);

// cuDNN 7 and 8 alone.
int cudnnRNNForwardInference(Opaque handle, Opaque rnn, int length, const Opaque* x, const void* x_data,
                             Opaque hx, const void* hx_data, Opaque cx, const void* cx_data, Opaque w,
                             const void* w_data, const Opaque* y, void* y_data, Opaque hy, void* hy_data,
                             Opaque cy, void* cy_data, void* workspace, size_t workspace_size);
int cudnnRNNForwardTraining(Opaque handle, Opaque rnn, int length, const Opaque* x, const void* x_data,
                            Opaque hx, const void* hx_data, Opaque cx, const void* cx_data, Opaque w,
                            const void* w_data, const Opaque* y, void* y_data, Opaque hy, void* hy_data,
                            Opaque cy, void* cy_data, void* workspace, size_t workspace_size, void* reserve,
                            size_t reserve_size);
int cudnnRNNBackwardData(Opaque handle, Opaque rnn, int length, const Opaque* y, const void* y_data,
                         const Opaque* dy, const void* dy_data, Opaque dhy, const void* dhy_data, Opaque dcy,
                         const void* dcy_data, Opaque w, const void* w_data, Opaque hx, const void* hx_data,
                         Opaque cx, const void* cx_data, const Opaque* dx, void* dx_data, Opaque dhx,
                         void* dhx_data, Opaque dcx, void* dcx_data, void* workspace, size_t workspace_size,
                         void* reserve, size_t reserve_size);
int cudnnRNNBackwardWeights(Opaque handle, Opaque rnn, int length, const Opaque* x, const void* x_data,
                            Opaque hx, const void* hx_data, const Opaque* y, const void* y_data,
                            const void* workspace, size_t workspace_size, Opaque dw, void* dw_data,
                            const void* reserve, size_t reserve_size);
int cudnnRNNForwardInferenceEx(Opaque handle, Opaque rnn, Opaque x, const void* x_data, Opaque hx,
                               const void* hx_data, Opaque cx, const void* cx_data, Opaque w,
                               const void* w_data, Opaque y, void* y_data, Opaque hy, void* hy_data,
                               Opaque cy, void* cy_data, Opaque keys, const void* keys_data, Opaque c,
                               void* c_data, Opaque i, void* i_data, Opaque q, void* queries, void* workspace,
                               size_t workspace_size);
int cudnnRNNForwardTrainingEx(Opaque handle, Opaque rnn, Opaque x, const void* x_data, Opaque hx,
                              const void* hx_data, Opaque cx, const void* cx_data, Opaque w,
                              const void* w_data, Opaque y, void* y_data, Opaque hy, void* hy_data, Opaque cy,
                              void* cy_data, Opaque keys, const void* keys_data, Opaque c, void* c_data,
                              Opaque i, void* i_data, Opaque q, void* queries, void* workspace,
                              size_t workspace_size, void* reserve, size_t reserve_size);
int cudnnRNNBackwardDataEx(Opaque handle, Opaque rnn, Opaque y, const void* y_data, Opaque dy,
                           const void* dy_data, Opaque dattention, const void* dattention_data, Opaque dhy,
                           const void* dhy_data, Opaque dcy, const void* dcy_data, Opaque w,
                           const void* w_data, Opaque hx, const void* hx_data, Opaque cx, const void* cx_data,
                           Opaque dx, void* dx_data, Opaque dhx, void* dhx_data, Opaque dcx, void* dcx_data,
                           Opaque dkeys, void* dkeys_data, void* workspace, size_t workspace_size,
                           void* reserve, size_t reserve_size);
int cudnnRNNBackwardWeightsEx(Opaque handle, Opaque rnn, Opaque x, const void* x_data, Opaque hx,
                              const void* hx_data, Opaque y, const void* y_data, void* workspace,
                              size_t workspace_size, Opaque dw, void* dw_data, void* reserve,
                              size_t reserve_size);

int cusolverDnSgetrf(Opaque handle, int m, int n, void* a, int lda, void* workspace, int* pivots, int* info);
int cusolverDnDgeqrf(Opaque handle, int m, int n, void* a, int lda, void* tau, void* workspace, int size,
                     int* info);
int cusolverDnSpotrf(Opaque handle, int fill, int n, void* a, int lda, void* workspace, int size, int* info);
int cusolverDnSgetrs(Opaque handle, int trans, int n, int columns, const void* a, int lda, const int* pivots,
                     void* b, int ldb, int* info);
int cusolverDnSsyevd(Opaque handle, int what, int fill, int n, void* a, int lda, void* w, void* workspace,
                     int size, int* info);

int cusolverDnXgetrf(Opaque handle, Opaque parameters, int64_t m, int64_t n, int type, void* a, int64_t lda,
                     int64_t* pivots, int compute, void* workspace, size_t size, void* host_workspace,
                     size_t host_size, int* info);
int cusolverDnXgetrs(Opaque handle, Opaque parameters, int trans, int64_t n, int64_t columns, int type,
                     const void* a, int64_t lda, const int64_t* pivots, int type_of_b, void* b, int64_t ldb,
                     int* info);
int cusolverDnXgeqrf(Opaque handle, Opaque parameters, int64_t m, int64_t n, int type, void* a, int64_t lda,
                     int type_of_tau, void* tau, int compute, void* workspace, size_t size,
                     void* host_workspace, size_t host_size, int* info);
int cusolverDnXpotrf(Opaque handle, Opaque parameters, int fill, int64_t n, int type, void* a, int64_t lda,
                     int compute, void* workspace, size_t size, void* host_workspace, size_t host_size,
                     int* info);
int cusolverDnXpotrs(Opaque handle, Opaque parameters, int fill, int64_t n, int64_t columns, int type,
                     const void* a, int64_t lda, int type_of_b, void* b, int64_t ldb, int* info);
int cusolverDnXsyevd(Opaque handle, Opaque parameters, int what, int fill, int64_t n, int type, void* a,
                     int64_t lda, int type_of_w, void* w, int compute, void* workspace, size_t size,
                     void* host_workspace, size_t host_size, int* info);

int cufftSetStream(int plan, Opaque stream);
int cufftDestroy(int plan);
int cufftPlan1d(int* plan, int nx, int type, int batch);
int cufftMakePlanMany(int plan, int rank, int* n, int* in_embed, int in_step, int in_distance, int* out_embed,
                      int out_step, int out_distance, int type, int batch, size_t* size);
int cufftExecC2C(int plan, void* in, void* out, int direction);
int cufftExecR2C(int plan, void* in, void* out);

} // extern "C"
