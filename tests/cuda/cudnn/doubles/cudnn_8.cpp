// What a double of cuDNN 8 has besides: functions of cuDNN 7 and 8 that cuDNN 9 lacks.
#include "cudnn_double.h"
#include "layers.h"
#include "record_call.h"

namespace {

int run() { return misbehaves("fail") ? execution_failed : 0; }

} // namespace

extern "C" {

int cudnnRNNForwardInference(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data,
                             Opaque hx, Const hx_data, Opaque cx, Const cx_data, Opaque w,
                             Const w_data, const Opaque* y, Opaque y_data, Opaque hy,
                             Opaque hy_data, Opaque cy, Opaque cy_data, Opaque workspace,
                             size_t workspace_size) {
  record_call("cudnnRNNForwardInference", handle, rnn, length, x, x_data, hx, hx_data, cx, cx_data,
              w, w_data, y, y_data, hy, hy_data, cy, cy_data, workspace, workspace_size);
  return run();
}

int cudnnRNNForwardTraining(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data,
                            Opaque hx, Const hx_data, Opaque cx, Const cx_data, Opaque w,
                            Const w_data, const Opaque* y, Opaque y_data, Opaque hy, Opaque hy_data,
                            Opaque cy, Opaque cy_data, Opaque workspace, size_t workspace_size,
                            Opaque reserve, size_t reserve_size) {
  record_call("cudnnRNNForwardTraining", handle, rnn, length, x, x_data, hx, hx_data, cx, cx_data,
              w, w_data, y, y_data, hy, hy_data, cy, cy_data, workspace, workspace_size, reserve,
              reserve_size);
  return run();
}

int cudnnRNNBackwardData(Opaque handle, Opaque rnn, int length, const Opaque* y, Const y_data,
                         const Opaque* dy, Const dy_data, Opaque dhy, Const dhy_data, Opaque dcy,
                         Const dcy_data, Opaque w, Const w_data, Opaque hx, Const hx_data,
                         Opaque cx, Const cx_data, const Opaque* dx, Opaque dx_data, Opaque dhx,
                         Opaque dhx_data, Opaque dcx, Opaque dcx_data, Opaque workspace,
                         size_t workspace_size, Opaque reserve, size_t reserve_size) {
  record_call("cudnnRNNBackwardData", handle, rnn, length, y, y_data, dy, dy_data, dhy, dhy_data,
              dcy, dcy_data, w, w_data, hx, hx_data, cx, cx_data, dx, dx_data, dhx, dhx_data, dcx,
              dcx_data, workspace, workspace_size, reserve, reserve_size);
  return run();
}

int cudnnRNNBackwardWeights(Opaque handle, Opaque rnn, int length, const Opaque* x, Const x_data,
                            Opaque hx, Const hx_data, const Opaque* y, Const y_data,
                            Const workspace, size_t workspace_size, Opaque dw, Opaque dw_data,
                            Const reserve, size_t reserve_size) {
  record_call("cudnnRNNBackwardWeights", handle, rnn, length, x, x_data, hx, hx_data, y, y_data,
              workspace, workspace_size, dw, dw_data, reserve, reserve_size);
  return run();
}

int cudnnRNNForwardInferenceEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx,
                               Const hx_data, Opaque cx, Const cx_data, Opaque w, Const w_data,
                               Opaque y, Opaque y_data, Opaque hy, Opaque hy_data, Opaque cy,
                               Opaque cy_data, Opaque keys, Const keys_data, Opaque c,
                               Opaque c_data, Opaque i, Opaque i_data, Opaque q, Opaque queries,
                               Opaque workspace, size_t workspace_size) {
  record_call("cudnnRNNForwardInferenceEx", handle, rnn, x, x_data, hx, hx_data, cx, cx_data, w,
              w_data, y, y_data, hy, hy_data, cy, cy_data, keys, keys_data, c, c_data, i, i_data, q,
              queries, workspace, workspace_size);
  return run();
}

int cudnnRNNForwardTrainingEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx,
                              Const hx_data, Opaque cx, Const cx_data, Opaque w, Const w_data,
                              Opaque y, Opaque y_data, Opaque hy, Opaque hy_data, Opaque cy,
                              Opaque cy_data, Opaque keys, Const keys_data, Opaque c, Opaque c_data,
                              Opaque i, Opaque i_data, Opaque q, Opaque queries, Opaque workspace,
                              size_t workspace_size, Opaque reserve, size_t reserve_size) {
  record_call("cudnnRNNForwardTrainingEx", handle, rnn, x, x_data, hx, hx_data, cx, cx_data, w,
              w_data, y, y_data, hy, hy_data, cy, cy_data, keys, keys_data, c, c_data, i, i_data, q,
              queries, workspace, workspace_size, reserve, reserve_size);
  return run();
}

int cudnnRNNBackwardDataEx(Opaque handle, Opaque rnn, Opaque y, Const y_data, Opaque dy,
                           Const dy_data, Opaque dattention, Const dattention_data, Opaque dhy,
                           Const dhy_data, Opaque dcy, Const dcy_data, Opaque w, Const w_data,
                           Opaque hx, Const hx_data, Opaque cx, Const cx_data, Opaque dx,
                           Opaque dx_data, Opaque dhx, Opaque dhx_data, Opaque dcx, Opaque dcx_data,
                           Opaque dkeys, Opaque dkeys_data, Opaque workspace, size_t workspace_size,
                           Opaque reserve, size_t reserve_size) {
  record_call("cudnnRNNBackwardDataEx", handle, rnn, y, y_data, dy, dy_data, dattention,
              dattention_data, dhy, dhy_data, dcy, dcy_data, w, w_data, hx, hx_data, cx, cx_data,
              dx, dx_data, dhx, dhx_data, dcx, dcx_data, dkeys, dkeys_data, workspace,
              workspace_size, reserve, reserve_size);
  return run();
}

int cudnnRNNBackwardWeightsEx(Opaque handle, Opaque rnn, Opaque x, Const x_data, Opaque hx,
                              Const hx_data, Opaque y, Const y_data, Opaque workspace,
                              size_t workspace_size, Opaque dw, Opaque dw_data, Opaque reserve,
                              size_t reserve_size) {
  record_call("cudnnRNNBackwardWeightsEx", handle, rnn, x, x_data, hx, hx_data, y, y_data,
              workspace, workspace_size, dw, dw_data, reserve, reserve_size);
  return run();
}

} // extern "C"
