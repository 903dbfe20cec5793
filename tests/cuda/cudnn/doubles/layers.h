// cuDNN's layers as the doubles answer them, and what only cuDNN 7 and 8 have. Written down by
// hand, as vendor.h is: handles, descriptors and device pointers are opaque, enumerations are
// passed as int.
#pragma once

#include "search.h"

#include <cstdint>

using Const = const void*;

extern "C" {

// cudnn_cnn.h
int cudnnConvolutionBackwardData(Opaque handle, Const alpha, Opaque w, Const w_data, Opaque dy,
                                 Const dy_data, Opaque convolution, int algo, Opaque workspace,
                                 size_t workspace_size, Const beta, Opaque dx, Opaque dx_data);
int cudnnConvolutionBackwardFilter(Opaque handle, Const alpha, Opaque x, Const x_data, Opaque dy,
                                   Const dy_data, Opaque convolution, int algo, Opaque workspace,
                                   size_t workspace_size, Const beta, Opaque dw, Opaque dw_data);
int cudnnGetConvolutionBackwardDataWorkspaceSize(Opaque handle, Opaque w, Opaque dy,
                                                 Opaque convolution, Opaque dx, int algo,
                                                 size_t* bytes);
int cudnnGetConvolutionBackwardFilterWorkspaceSize(Opaque handle, Opaque x, Opaque dy,
                                                   Opaque convolution, Opaque dw, int algo,
                                                   size_t* bytes);

// cudnn_ops.h
int cudnnCreatePoolingDescriptor(Opaque* descriptor);
int cudnnDestroyPoolingDescriptor(Opaque descriptor);
int cudnnSetPooling2dDescriptor(Opaque descriptor, int mode, int nan_propagation, int window_height,
                                int window_width, int vertical_padding, int horizontal_padding,
                                int vertical_stride, int horizontal_stride);
int cudnnGetPooling2dDescriptor(Opaque descriptor, int* mode, int* nan_propagation,
                                int* window_height, int* window_width, int* vertical_padding,
                                int* horizontal_padding, int* vertical_stride,
                                int* horizontal_stride);
int cudnnSetPoolingNdDescriptor(Opaque descriptor, int mode, int nan_propagation, int dimensions,
                                const int* window, const int* padding, const int* stride);
int cudnnGetPoolingNdDescriptor(Opaque descriptor, int requested, int* mode, int* nan_propagation,
                                int* dimensions, int* window, int* padding, int* stride);
int cudnnSetDropoutDescriptor(Opaque dropout, Opaque handle, float probability, Opaque states,
                              size_t states_size, unsigned long long seed);
int cudnnRestoreDropoutDescriptor(Opaque dropout, Opaque handle, float probability, Opaque states,
                                  size_t states_size, unsigned long long seed);
int cudnnGetStream(Opaque handle, Opaque* stream);
int cudnnSpatialTfSamplerBackward(Opaque handle, Opaque transformer, Const alpha, Opaque x,
                                  Const x_data, Const beta, Opaque dx, Opaque dx_data,
                                  Const alpha_grid, Opaque dy, Const dy_data, Const grid,
                                  Const beta_grid, Opaque dgrid);

// cudnn_adv.h
int cudnnCTCLoss(Opaque handle, Opaque probabilities, Const probabilities_data, const int* labels,
                 const int* label_lengths, const int* input_lengths, Opaque costs, Opaque gradients,
                 Opaque gradients_data, int algo, Opaque loss, Opaque workspace,
                 size_t workspace_size);
int cudnnCTCLoss_v8(Opaque handle, int algo, Opaque loss, Opaque probabilities,
                    Const probabilities_data, const int* labels, const int* label_lengths,
                    const int* input_lengths, Opaque costs, Opaque gradients, Opaque gradients_data,
                    size_t workspace_size, Opaque workspace);
int cudnnGetCTCLossWorkspaceSize(Opaque handle, Opaque probabilities, Opaque gradients,
                                 const int* labels, const int* label_lengths,
                                 const int* input_lengths, int algo, Opaque loss, size_t* bytes);
int cudnnGetCTCLossWorkspaceSize_v8(Opaque handle, int algo, Opaque loss, Opaque probabilities,
                                    Opaque gradients, size_t* bytes);
int cudnnSetCTCLossDescriptor_v9(Opaque loss, int type, int normalization, int gradients,
                                 int longest_label);
int cudnnRNNForward(Opaque handle, Opaque rnn, int mode, const int32_t* lengths, Opaque x,
                    Const x_data, Opaque y, Opaque y_data, Opaque h, Const hx, Opaque hy, Opaque c,
                    Const cx, Opaque cy, size_t weights_size, Const weights, size_t workspace_size,
                    Opaque workspace, size_t reserve_size, Opaque reserve);
int cudnnRNNBackwardData_v8(Opaque handle, Opaque rnn, const int32_t* lengths, Opaque y,
                            Const y_data, Const dy, Opaque x, Opaque dx, Opaque h, Const hx,
                            Const dhy, Opaque dhx, Opaque c, Const cx, Const dcy, Opaque dcx,
                            size_t weights_size, Const weights, size_t workspace_size,
                            Opaque workspace, size_t reserve_size, Opaque reserve);
int cudnnRNNBackwardWeights_v8(Opaque handle, Opaque rnn, int add, const int32_t* lengths, Opaque x,
                               Const x_data, Opaque h, Const hx, Opaque y, Const y_data,
                               size_t weights_size, Opaque dweights, size_t workspace_size,
                               Opaque workspace, size_t reserve_size, Opaque reserve);
int cudnnMultiHeadAttnForward(Opaque handle, Opaque attention, int current, const int* low,
                              const int* high, const int* lengths_q, const int* lengths_k, Opaque q,
                              Const queries, Const residuals, Opaque k, Const keys, Opaque v,
                              Const values, Opaque o, Opaque out, size_t weights_size,
                              Const weights, size_t workspace_size, Opaque workspace,
                              size_t reserve_size, Opaque reserve);
int cudnnMultiHeadAttnBackwardData(Opaque handle, Opaque attention, const int* low, const int* high,
                                   const int* lengths_q, const int* lengths_k, Opaque o, Const dout,
                                   Opaque q, Opaque dqueries, Const queries, Opaque k, Opaque dkeys,
                                   Const keys, Opaque v, Opaque dvalues, Const values,
                                   size_t weights_size, Const weights, size_t workspace_size,
                                   Opaque workspace, size_t reserve_size, Opaque reserve);
int cudnnMultiHeadAttnBackwardWeights(Opaque handle, Opaque attention, int add, Opaque q,
                                      Const queries, Opaque k, Const keys, Opaque v, Const values,
                                      Opaque o, Const dout, size_t weights_size, Const weights,
                                      Opaque dweights, size_t workspace_size, Opaque workspace,
                                      size_t reserve_size, Opaque reserve);

// cudnn_subquadratic_ops.h of cuDNN 9.28.
int cudnnCausalConv1dBackward(Opaque stream, Const x, Const weight, Const bias, Const dy, Opaque dx,
                              Opaque dweight, Opaque dbias, int batch, int dimensions, int length,
                              int kernel_size, int type, int weight_type, int activation);
int cudnnCausalConv1dNwhBackward(Opaque stream, Const x, Const weight, Const bias, Const dy,
                                 Opaque dx, Opaque dweight, Opaque dbias, int batch, int dimensions,
                                 int length, int kernel_size, int type, int weight_type,
                                 int activation);
// cuDNN 7 and 8 (cudnn_adv_infer.h, cudnn_adv_train.h).
int cudnnRNNForwardInference(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data,
                             Opaque hx, Const hx_data, Opaque cx, Const cx_data, Opaque w,
                             Const w_data, const Opaque* y, Opaque y_data, Opaque hy,
                             Opaque hy_data, Opaque cy, Opaque cy_data, Opaque workspace,
                             size_t workspace_size);
int cudnnRNNForwardTraining(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data,
                            Opaque hx, Const hx_data, Opaque cx, Const cx_data, Opaque w,
                            Const w_data, const Opaque* y, Opaque y_data, Opaque hy, Opaque hy_data,
                            Opaque cy, Opaque cy_data, Opaque workspace, size_t workspace_size,
                            Opaque reserve, size_t reserve_size);
int cudnnRNNBackwardData(Opaque handle, Opaque rnn, int length, const Opaque* y, Const y_data,
                         const Opaque* dy, Const dy_data, Opaque dhy, Const dhy_data, Opaque dcy,
                         Const dcy_data, Opaque w, Const w_data, Opaque hx, Const hx_data,
                         Opaque cx, Const cx_data, const Opaque* dx, Opaque dx_data, Opaque dhx,
                         Opaque dhx_data, Opaque dcx, Opaque dcx_data, Opaque workspace,
                         size_t workspace_size, Opaque reserve, size_t reserve_size);
int cudnnRNNBackwardWeights(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data,
                            Opaque hx, Const hx_data, const Opaque* y, Const y_data,
                            Const workspace, size_t workspace_size, Opaque dw, Opaque dw_data,
                            Const reserve, size_t reserve_size);
int cudnnRNNForwardInferenceEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx,
                               Const hx_data, Opaque cx, Const cx_data, Opaque w, Const w_data,
                               Opaque y, Opaque y_data, Opaque hy, Opaque hy_data, Opaque cy,
                               Opaque cy_data, Opaque keys, Const keys_data, Opaque c,
                               Opaque c_data, Opaque i, Opaque i_data, Opaque q, Opaque queries,
                               Opaque workspace, size_t workspace_size);
int cudnnRNNForwardTrainingEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx,
                              Const hx_data, Opaque cx, Const cx_data, Opaque w, Const w_data,
                              Opaque y, Opaque y_data, Opaque hy, Opaque hy_data, Opaque cy,
                              Opaque cy_data, Opaque keys, Const keys_data, Opaque c, Opaque c_data,
                              Opaque i, Opaque i_data, Opaque q, Opaque queries, Opaque workspace,
                              size_t workspace_size, Opaque reserve, size_t reserve_size);
int cudnnRNNBackwardDataEx(Opaque handle, Opaque rnn, Opaque y, Const y_data, Opaque dy,
                           Const dy_data, Opaque dattention, Const dattention_data, Opaque dhy,
                           Const dhy_data, Opaque dcy, Const dcy_data, Opaque w, Const w_data,
                           Opaque hx, Const hx_data, Opaque cx, Const cx_data, Opaque dx,
                           Opaque dx_data, Opaque dhx, Opaque dhx_data, Opaque dcx, Opaque dcx_data,
                           Opaque dkeys, Opaque dkeys_data, Opaque workspace, size_t workspace_size,
                           Opaque reserve, size_t reserve_size);
int cudnnRNNBackwardWeightsEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx,
                              Const hx_data, Opaque y, Const y_data, Opaque workspace,
                              size_t workspace_size, Opaque dw, Opaque dw_data, Opaque reserve,
                              size_t reserve_size);

} // extern "C"
