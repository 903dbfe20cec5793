// What a double of cuDNN 8 has besides: functions of cuDNN 7 and 8 that cuDNN 9 lacks.
//
// DOUBLE_MISBEHAVE:
//   deterministic_choice   the heuristic chooses deterministic algorithms
//   fail                   every search fails
#include "cudnn_double.h"
#include "layers.h"
#include "record_call.h"

namespace {

int choose(int* algo, int nondeterministic) {
  if (misbehaves("fail")) return execution_failed;
  *algo = misbehaves("deterministic_choice") ? 5 : nondeterministic;
  return 0;
}

int find(int* returned) {
  if (misbehaves("fail")) return execution_failed;
  *returned = 3;
  return 0;
}

int run() { return misbehaves("fail") ? execution_failed : 0; }

} // namespace

extern "C" {

int cudnnGetConvolutionBackwardDataAlgorithm(Opaque handle, Opaque w, Opaque dy, Opaque convolution,
                                             Opaque dx, int preference, size_t limit, int* algo) {
  record_call("cudnnGetConvolutionBackwardDataAlgorithm", handle, w, dy, convolution, dx, preference, limit);
  return choose(algo, 0);
}

int cudnnGetConvolutionBackwardFilterAlgorithm(Opaque handle, Opaque x, Opaque dy, Opaque convolution,
                                               Opaque dw, int preference, size_t limit, int* algo) {
  record_call("cudnnGetConvolutionBackwardFilterAlgorithm", handle, x, dy, convolution, dw, preference,
              limit);
  return choose(algo, 3);
}

int cudnnFindRNNForwardInferenceAlgorithmEx(Opaque handle, Opaque rnn, int length, const Opaque* x,
                                            Const x_data, Opaque hx, Const hx_data, Opaque cx, Const cx_data,
                                            Opaque w, Const w_data, const Opaque* y, Opaque y_data, Opaque hy,
                                            Opaque hy_data, Opaque cy, Opaque cy_data, float intensity,
                                            int requested, int* returned, Opaque* results, Opaque workspace,
                                            size_t workspace_size) {
  record_call("cudnnFindRNNForwardInferenceAlgorithmEx", handle, rnn, length, x, x_data, hx, hx_data, cx,
              cx_data, w, w_data, y, y_data, hy, hy_data, cy, cy_data, intensity, requested, results,
              workspace, workspace_size);
  return find(returned);
}

int cudnnFindRNNForwardTrainingAlgorithmEx(Opaque handle, Opaque rnn, int length, const Opaque* x,
                                           Const x_data, Opaque hx, Const hx_data, Opaque cx, Const cx_data,
                                           Opaque w, Const w_data, const Opaque* y, Opaque y_data, Opaque hy,
                                           Opaque hy_data, Opaque cy, Opaque cy_data, float intensity,
                                           int requested, int* returned, Opaque* results, Opaque workspace,
                                           size_t workspace_size, Opaque reserve, size_t reserve_size) {
  record_call("cudnnFindRNNForwardTrainingAlgorithmEx", handle, rnn, length, x, x_data, hx, hx_data, cx,
              cx_data, w, w_data, y, y_data, hy, hy_data, cy, cy_data, intensity, requested, results,
              workspace, workspace_size, reserve, reserve_size);
  return find(returned);
}

int cudnnFindRNNBackwardDataAlgorithmEx(Opaque handle, Opaque rnn, int length, const Opaque* y, Const y_data,
                                        const Opaque* dy, Const dy_data, Opaque dhy, Const dhy_data,
                                        Opaque dcy, Const dcy_data, Opaque w, Const w_data, Opaque hx,
                                        Const hx_data, Opaque cx, Const cx_data, const Opaque* dx,
                                        Opaque dx_data, Opaque dhx, Opaque dhx_data, Opaque dcx,
                                        Opaque dcx_data, float intensity, int requested, int* returned,
                                        Opaque* results, Opaque workspace, size_t workspace_size,
                                        Opaque reserve, size_t reserve_size) {
  record_call("cudnnFindRNNBackwardDataAlgorithmEx", handle, rnn, length, y, y_data, dy, dy_data, dhy,
              dhy_data, dcy, dcy_data, w, w_data, hx, hx_data, cx, cx_data, dx, dx_data, dhx, dhx_data, dcx,
              dcx_data, intensity, requested, results, workspace, workspace_size, reserve, reserve_size);
  return find(returned);
}

int cudnnFindRNNBackwardWeightsAlgorithmEx(Opaque handle, Opaque rnn, int length, const Opaque* x,
                                           Const x_data, Opaque hx, Const hx_data, const Opaque* y,
                                           Const y_data, float intensity, int requested, int* returned,
                                           Opaque* results, Const workspace, size_t workspace_size, Opaque dw,
                                           Opaque dw_data, Const reserve, size_t reserve_size) {
  record_call("cudnnFindRNNBackwardWeightsAlgorithmEx", handle, rnn, length, x, x_data, hx, hx_data, y,
              y_data, intensity, requested, results, workspace, workspace_size, dw, dw_data, reserve,
              reserve_size);
  return find(returned);
}

int cudnnRNNForwardInference(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data, Opaque hx,
                             Const hx_data, Opaque cx, Const cx_data, Opaque w, Const w_data, const Opaque* y,
                             Opaque y_data, Opaque hy, Opaque hy_data, Opaque cy, Opaque cy_data,
                             Opaque workspace, size_t workspace_size) {
  record_call("cudnnRNNForwardInference", handle, rnn, length, x, x_data, hx, hx_data, cx, cx_data, w, w_data,
              y, y_data, hy, hy_data, cy, cy_data, workspace, workspace_size);
  return run();
}

int cudnnRNNForwardTraining(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data, Opaque hx,
                            Const hx_data, Opaque cx, Const cx_data, Opaque w, Const w_data, const Opaque* y,
                            Opaque y_data, Opaque hy, Opaque hy_data, Opaque cy, Opaque cy_data,
                            Opaque workspace, size_t workspace_size, Opaque reserve, size_t reserve_size) {
  record_call("cudnnRNNForwardTraining", handle, rnn, length, x, x_data, hx, hx_data, cx, cx_data, w, w_data,
              y, y_data, hy, hy_data, cy, cy_data, workspace, workspace_size, reserve, reserve_size);
  return run();
}

int cudnnRNNBackwardData(Opaque handle, Opaque rnn, int length, const Opaque* y, Const y_data,
                         const Opaque* dy, Const dy_data, Opaque dhy, Const dhy_data, Opaque dcy,
                         Const dcy_data, Opaque w, Const w_data, Opaque hx, Const hx_data, Opaque cx,
                         Const cx_data, const Opaque* dx, Opaque dx_data, Opaque dhx, Opaque dhx_data,
                         Opaque dcx, Opaque dcx_data, Opaque workspace, size_t workspace_size, Opaque reserve,
                         size_t reserve_size) {
  record_call("cudnnRNNBackwardData", handle, rnn, length, y, y_data, dy, dy_data, dhy, dhy_data, dcy,
              dcy_data, w, w_data, hx, hx_data, cx, cx_data, dx, dx_data, dhx, dhx_data, dcx, dcx_data,
              workspace, workspace_size, reserve, reserve_size);
  return run();
}

int cudnnRNNBackwardWeights(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data, Opaque hx,
                            Const hx_data, const Opaque* y, Const y_data, Const workspace,
                            size_t workspace_size, Opaque dw, Opaque dw_data, Const reserve,
                            size_t reserve_size) {
  record_call("cudnnRNNBackwardWeights", handle, rnn, length, x, x_data, hx, hx_data, y, y_data, workspace,
              workspace_size, dw, dw_data, reserve, reserve_size);
  return run();
}

int cudnnRNNForwardInferenceEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx, Const hx_data,
                               Opaque cx, Const cx_data, Opaque w, Const w_data, Opaque y, Opaque y_data,
                               Opaque hy, Opaque hy_data, Opaque cy, Opaque cy_data, Opaque keys,
                               Const keys_data, Opaque c, Opaque c_data, Opaque i, Opaque i_data, Opaque q,
                               Opaque queries, Opaque workspace, size_t workspace_size) {
  record_call("cudnnRNNForwardInferenceEx", handle, rnn, x, x_data, hx, hx_data, cx, cx_data, w, w_data, y,
              y_data, hy, hy_data, cy, cy_data, keys, keys_data, c, c_data, i, i_data, q, queries, workspace,
              workspace_size);
  return run();
}

int cudnnRNNForwardTrainingEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx, Const hx_data,
                              Opaque cx, Const cx_data, Opaque w, Const w_data, Opaque y, Opaque y_data,
                              Opaque hy, Opaque hy_data, Opaque cy, Opaque cy_data, Opaque keys,
                              Const keys_data, Opaque c, Opaque c_data, Opaque i, Opaque i_data, Opaque q,
                              Opaque queries, Opaque workspace, size_t workspace_size, Opaque reserve,
                              size_t reserve_size) {
  record_call("cudnnRNNForwardTrainingEx", handle, rnn, x, x_data, hx, hx_data, cx, cx_data, w, w_data, y,
              y_data, hy, hy_data, cy, cy_data, keys, keys_data, c, c_data, i, i_data, q, queries, workspace,
              workspace_size, reserve, reserve_size);
  return run();
}

int cudnnRNNBackwardDataEx(Opaque handle, Opaque rnn, Opaque y, Const y_data, Opaque dy, Const dy_data,
                           Opaque dattention, Const dattention_data, Opaque dhy, Const dhy_data, Opaque dcy,
                           Const dcy_data, Opaque w, Const w_data, Opaque hx, Const hx_data, Opaque cx,
                           Const cx_data, Opaque dx, Opaque dx_data, Opaque dhx, Opaque dhx_data, Opaque dcx,
                           Opaque dcx_data, Opaque dkeys, Opaque dkeys_data, Opaque workspace,
                           size_t workspace_size, Opaque reserve, size_t reserve_size) {
  record_call("cudnnRNNBackwardDataEx", handle, rnn, y, y_data, dy, dy_data, dattention, dattention_data, dhy,
              dhy_data, dcy, dcy_data, w, w_data, hx, hx_data, cx, cx_data, dx, dx_data, dhx, dhx_data, dcx,
              dcx_data, dkeys, dkeys_data, workspace, workspace_size, reserve, reserve_size);
  return run();
}

int cudnnRNNBackwardWeightsEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx, Const hx_data,
                              Opaque y, Const y_data, Opaque workspace, size_t workspace_size, Opaque dw,
                              Opaque dw_data, Opaque reserve, size_t reserve_size) {
  record_call("cudnnRNNBackwardWeightsEx", handle, rnn, x, x_data, hx, hx_data, y, y_data, workspace,
              workspace_size, dw, dw_data, reserve, reserve_size);
  return run();
}

} // extern "C"
