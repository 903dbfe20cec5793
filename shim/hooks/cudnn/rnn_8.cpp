// cuDNN's recurrent networks as cuDNN 7 and 8 have them: over the steps of a batch, each with a tensor of its
// own, or, the functions of a name that ends in Ex, over sequences; and searches for their algorithms.
//
// Symbols: cudnn_adv_infer.h and cudnn_adv_train.h of cuDNN 8.9.
#include "hooks/cudnn/rnn.h"

namespace detshim {
namespace {

using namespace abi;

using Rnn = cudnnRNNDescriptor_t;
using Tensor = cudnnTensorDescriptor_t;
using Filter = cudnnFilterDescriptor_t;
using Sequences = cudnnRNNDataDescriptor_t;
using In = const void*;
using Out = void*;

/// The steps of a batch, of which each has as many rows as there are sequences left. They lie behind each
/// other.
struct Steps {
  int count;
  const Tensor* tensors;
};

/// Without width where a tensor of theirs is not told.
HashedArea steps_at(const Hook& hook, CallOutputs& outputs, const Steps& steps, const void* data) {
  auto* const get =
      find_in_cudnn<cudnnStatus(Tensor, int, int*, int*, int*, int*)>(hook, "cudnnGetTensorNdDescriptor");
  constexpr int most = 8; // CUDNN_DIM_MAX
  uint64_t size = 0;
  outputs.add_shape("steps", static_cast<uint64_t>(steps.count));
  for (int i = 0; i < steps.count; ++i) {
    int type = -1, count = 0, sizes[most] = {}, strides[most];
    if (get == nullptr || steps.tensors == nullptr ||
        get(steps.tensors[i], most, &type, &count, sizes, strides) != cudnnStatus::success || count > most)
      return {};
    uint64_t of_step = size_of_cudnn_type(type);
    for (int k = 0; k < count; ++k) of_step *= static_cast<uint64_t>(sizes[k]);
    size += of_step;
    outputs.add_number(sizes, sizeof sizes);
  }
  return bytes_at(data, size);
}

void add_sequences_read(const Hook& hook, CallOutputs& outputs, const Steps& steps, const void* data) {
  const HashedArea area = steps_at(hook, outputs, steps, data);
  if (area.width == 0) outputs.leave_inputs();
  outputs.add_input(area);
}

void add_sequences_written(const Hook& hook, CallOutputs& outputs, const Steps& steps, const void* data) {
  const HashedArea area = steps_at(hook, outputs, steps, data);
  if (area.width == 0) outputs.leave_outputs(Reason::layout_unknown);
  outputs.add_output(area);
}

// ---- What goes in and what comes out: Data are Steps or Sequences ----

template <typename Data>
struct Forward {
  Rnn rnn;
  bool is_training;
  Data x;
  In x_data;
  LayerTensor hx, cx, w;
  Data y;
  Out y_data;
  LayerTensor hy, cy;

  void add(const Hook& hook, CallOutputs& outputs, cudnnHandle_t handle) const {
    add_sequences_read(hook, outputs, x, x_data);
    for (const LayerTensor& input : {hx, cx, w}) add_read(hook, outputs, input);
    add_settings(hook, outputs, handle, rnn, is_training);
    add_sequences_written(hook, outputs, y, y_data);
    for (const LayerTensor& state : {hy, cy}) add_written(hook, outputs, state, nullptr, nullptr);
  }
};

template <typename Data>
struct BackwardData {
  Rnn rnn;
  Data y;
  In y_data;
  Data dy;
  In dy_data;
  LayerTensor dhy, dcy, w, hx, cx;
  Data dx;
  Out dx_data;
  LayerTensor dhx, dcx;
  Out reserve;
  size_t reserve_size;

  void add(const Hook& hook, CallOutputs& outputs, cudnnHandle_t handle) const {
    add_sequences_read(hook, outputs, y, y_data);
    add_sequences_read(hook, outputs, dy, dy_data);
    for (const LayerTensor& input : {dhy, dcy, w, hx, cx}) add_read(hook, outputs, input);
    add_reserve(outputs, reserve, reserve_size);
    add_settings(hook, outputs, handle, rnn, false);
    add_sequences_written(hook, outputs, dx, dx_data);
    for (const LayerTensor& state : {dhx, dcx}) add_written(hook, outputs, state, nullptr, nullptr);
  }
};

/// Its gradients are added to what was there.
template <typename Data>
struct BackwardWeights {
  Rnn rnn;
  Data x;
  In x_data;
  LayerTensor hx;
  Data y;
  In y_data;
  LayerTensor dw;
  In reserve;
  size_t reserve_size;

  void add(const Hook& hook, CallOutputs& outputs, cudnnHandle_t handle) const {
    add_sequences_read(hook, outputs, x, x_data);
    add_read(hook, outputs, hx);
    add_sequences_read(hook, outputs, y, y_data);
    add_reserve(outputs, reserve, reserve_size);
    add_settings(hook, outputs, handle, rnn, false);
    add_perhaps_read(hook, outputs, dw);
    add_written(hook, outputs, dw, nullptr, nullptr);
  }
};

template <typename Call, typename Pass, typename... Arguments>
cudnnStatus run_pass(const Call& call, const Pass& pass, cudnnHandle_t handle, Arguments... arguments) {
  return print_with_workspace(
      call, [&](CallOutputs& outputs) { pass.add(call.hook(), outputs, handle); }, handle, arguments...);
}

// ---- The functions ----

/// `others`: the workspace, and in training what is reserved for the passes backward.
template <bool is_training, typename Call, typename... Others>
cudnnStatus run_steps(const Call& call, cudnnHandle_t handle, Rnn rnn, int length, const Tensor* x, In x_data,
                      Tensor hx, In hx_data, Tensor cx, In cx_data, Filter w, In w_data, const Tensor* y,
                      Out y_data, Tensor hy, Out hy_data, Tensor cy, Out cy_data, Others... others) {
  const Forward<Steps> pass{rnn,           is_training,   {length, x},  x_data,
                            {hx, hx_data}, {cx, cx_data}, {w, w_data},  {length, y},
                            y_data,        {hy, hy_data}, {cy, cy_data}};
  return run_pass(call, pass, handle, rnn, length, x, x_data, hx, hx_data, cx, cx_data, w, w_data, y, y_data,
                  hy, hy_data, cy, cy_data, others...);
}

/// `others` begin with what is reserved for attention, which no version has.
template <bool is_training, typename Call, typename... Others>
cudnnStatus run_sequences(const Call& call, cudnnHandle_t handle, Rnn rnn, Sequences x, In x_data, Tensor hx,
                          In hx_data, Tensor cx, In cx_data, Filter w, In w_data, Sequences y, Out y_data,
                          Tensor hy, Out hy_data, Tensor cy, Out cy_data, Others... others) {
  const Forward<Sequences> pass{rnn,         is_training, x,      x_data,        {hx, hx_data}, {cx, cx_data},
                                {w, w_data}, y,           y_data, {hy, hy_data}, {cy, cy_data}};
  return run_pass(call, pass, handle, rnn, x, x_data, hx, hx_data, cx, cx_data, w, w_data, y, y_data, hy,
                  hy_data, cy, cy_data, others...);
}

template <typename Call>
cudnnStatus derive_steps(const Call& call, cudnnHandle_t handle, Rnn rnn, int length, const Tensor* y,
                         In y_data, const Tensor* dy, In dy_data, Tensor dhy, In dhy_data, Tensor dcy,
                         In dcy_data, Filter w, In w_data, Tensor hx, In hx_data, Tensor cx, In cx_data,
                         const Tensor* dx, Out dx_data, Tensor dhx, Out dhx_data, Tensor dcx, Out dcx_data,
                         Out workspace, size_t workspace_size, Out reserve, size_t reserve_size) {
  const BackwardData<Steps> pass{
      rnn,         {length, y},   y_data,        {length, dy}, dy_data, {dhy, dhy_data}, {dcy, dcy_data},
      {w, w_data}, {hx, hx_data}, {cx, cx_data}, {length, dx}, dx_data, {dhx, dhx_data}, {dcx, dcx_data},
      reserve,     reserve_size};
  return run_pass(call, pass, handle, rnn, length, y, y_data, dy, dy_data, dhy, dhy_data, dcy, dcy_data, w,
                  w_data, hx, hx_data, cx, cx_data, dx, dx_data, dhx, dhx_data, dcx, dcx_data, workspace,
                  workspace_size, reserve, reserve_size);
}

template <typename Call>
cudnnStatus derive_sequences(const Call& call, cudnnHandle_t handle, Rnn rnn, Sequences y, In y_data,
                             Sequences dy, In dy_data, Sequences dattention, In dattention_data, Tensor dhy,
                             In dhy_data, Tensor dcy, In dcy_data, Filter w, In w_data, Tensor hx, In hx_data,
                             Tensor cx, In cx_data, Sequences dx, Out dx_data, Tensor dhx, Out dhx_data,
                             Tensor dcx, Out dcx_data, Sequences dkeys, Out dkeys_data, Out workspace,
                             size_t workspace_size, Out reserve, size_t reserve_size) {
  const BackwardData<Sequences> pass{rnn,
                                     y,
                                     y_data,
                                     dy,
                                     dy_data,
                                     {dhy, dhy_data},
                                     {dcy, dcy_data},
                                     {w, w_data},
                                     {hx, hx_data},
                                     {cx, cx_data},
                                     dx,
                                     dx_data,
                                     {dhx, dhx_data},
                                     {dcx, dcx_data},
                                     reserve,
                                     reserve_size};
  return run_pass(call, pass, handle, rnn, y, y_data, dy, dy_data, dattention, dattention_data, dhy, dhy_data,
                  dcy, dcy_data, w, w_data, hx, hx_data, cx, cx_data, dx, dx_data, dhx, dhx_data, dcx,
                  dcx_data, dkeys, dkeys_data, workspace, workspace_size, reserve, reserve_size);
}

template <typename Call>
cudnnStatus derive_weights_of_steps(const Call& call, cudnnHandle_t handle, Rnn rnn, int length,
                                    const Tensor* x, In x_data, Tensor hx, In hx_data, const Tensor* y,
                                    In y_data, In workspace, size_t workspace_size, Filter dw, Out dw_data,
                                    In reserve, size_t reserve_size) {
  const BackwardWeights<Steps> pass{rnn,    {length, x},   x_data,  {hx, hx_data}, {length, y},
                                    y_data, {dw, dw_data}, reserve, reserve_size};
  return run_pass(call, pass, handle, rnn, length, x, x_data, hx, hx_data, y, y_data, workspace,
                  workspace_size, dw, dw_data, reserve, reserve_size);
}

template <typename Call>
cudnnStatus derive_weights_of_sequences(const Call& call, cudnnHandle_t handle, Rnn rnn, Sequences x,
                                        In x_data, Tensor hx, In hx_data, Sequences y, In y_data,
                                        Out workspace, size_t workspace_size, Filter dw, Out dw_data,
                                        Out reserve, size_t reserve_size) {
  const BackwardWeights<Sequences> pass{rnn,           x,       x_data,      {hx, hx_data}, y, y_data,
                                        {dw, dw_data}, reserve, reserve_size};
  return run_pass(call, pass, handle, rnn, x, x_data, hx, hx_data, y, y_data, workspace, workspace_size, dw,
                  dw_data, reserve, reserve_size);
}

using InferSteps = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, int length, const Tensor* x, In x_data, Tensor hx, In hx_data, Tensor cx,
    In cx_data, Filter w, In w_data, const Tensor* y, Out y_data, Tensor hy, Out hy_data, Tensor cy,
    Out cy_data, Out workspace, size_t workspace_size)>;
using TrainSteps = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, int length, const Tensor* x, In x_data, Tensor hx, In hx_data, Tensor cx,
    In cx_data, Filter w, In w_data, const Tensor* y, Out y_data, Tensor hy, Out hy_data, Tensor cy,
    Out cy_data, Out workspace, size_t workspace_size, Out reserve, size_t reserve_size)>;
using DeriveSteps = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, int length, const Tensor* y, In y_data, const Tensor* dy, In dy_data,
    Tensor dhy, In dhy_data, Tensor dcy, In dcy_data, Filter w, In w_data, Tensor hx, In hx_data, Tensor cx,
    In cx_data, const Tensor* dx, Out dx_data, Tensor dhx, Out dhx_data, Tensor dcx, Out dcx_data,
    Out workspace, size_t workspace_size, Out reserve, size_t reserve_size)>;
using DeriveWeightsOfSteps = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, int length, const Tensor* x, In x_data, Tensor hx, In hx_data,
    const Tensor* y, In y_data, In workspace, size_t workspace_size, Filter dw, Out dw_data, In reserve,
    size_t reserve_size)>;

using InferSequences = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, Sequences x, In x_data, Tensor hx, In hx_data, Tensor cx, In cx_data,
    Filter w, In w_data, Sequences y, Out y_data, Tensor hy, Out hy_data, Tensor cy, Out cy_data,
    Sequences keys, In keys_data, Sequences c, Out c_data, Sequences i, Out i_data, Sequences q, Out queries,
    Out workspace, size_t workspace_size)>;
using TrainSequences = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, Sequences x, In x_data, Tensor hx, In hx_data, Tensor cx, In cx_data,
    Filter w, In w_data, Sequences y, Out y_data, Tensor hy, Out hy_data, Tensor cy, Out cy_data,
    Sequences keys, In keys_data, Sequences c, Out c_data, Sequences i, Out i_data, Sequences q, Out queries,
    Out workspace, size_t workspace_size, Out reserve, size_t reserve_size)>;
using DeriveSequences = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, Sequences y, In y_data, Sequences dy, In dy_data, Sequences dattention,
    In dattention_data, Tensor dhy, In dhy_data, Tensor dcy, In dcy_data, Filter w, In w_data, Tensor hx,
    In hx_data, Tensor cx, In cx_data, Sequences dx, Out dx_data, Tensor dhx, Out dhx_data, Tensor dcx,
    Out dcx_data, Sequences dkeys, Out dkeys_data, Out workspace, size_t workspace_size, Out reserve,
    size_t reserve_size)>;
using DeriveWeightsOfSequences = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, Rnn rnn, Sequences x, In x_data, Tensor hx, In hx_data, Sequences y, In y_data,
    Out workspace, size_t workspace_size, Filter dw, Out dw_data, Out reserve, size_t reserve_size)>;

// ---- Searches for an algorithm ----

/// Where a search says how many algorithms it found: the only pointer to int among its arguments.
template <typename First, typename... Others>
int* find_returned(First first, Others... others) {
  if constexpr (__is_same(First, int*))
    return first;
  else
    return find_returned(others...);
}

/// A search by timing. Its results are opaque, so they stay in the order of the times.
template <typename Call, typename... Arguments>
cudnnStatus find_rnn(const Call& call, Arguments... arguments) {
  if (call.passes()) return call.real(arguments...);
  record_cudnn_once(call);
  int* const returned = find_returned(arguments...);
  constexpr Reason why = Reason::timed_list;
  if (options().strict()) {
    if (returned != nullptr) *returned = 0;
    call.record(Action::refuse, why, {0});
    return cudnn_not_supported(call);
  }
  const cudnnStatus status = call.real(arguments...);
  if (status == cudnnStatus::success)
    call.record(Action::unfixed, why, {returned != nullptr ? *returned : 0});
  return status;
}

constexpr Description sorts_by_time = {
    .action = Action::refuse,
    .fields = {"returned"},
    .summary = "Recorded: it sorts algorithms by measured time; strict refuses it.",
};

using FindForwardInference = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* x,
    const void* x_data, cudnnTensorDescriptor_t hx, const void* hx_data, cudnnTensorDescriptor_t cx,
    const void* cx_data, cudnnFilterDescriptor_t w, const void* w_data, const cudnnTensorDescriptor_t* y,
    void* y_data, cudnnTensorDescriptor_t hy, void* hy_data, cudnnTensorDescriptor_t cy, void* cy_data,
    float intensity, int requested, int* returned, cudnnAlgorithmPerformance_t* results, void* workspace,
    size_t workspace_size)>;

using FindForwardTraining = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* x,
    const void* x_data, cudnnTensorDescriptor_t hx, const void* hx_data, cudnnTensorDescriptor_t cx,
    const void* cx_data, cudnnFilterDescriptor_t w, const void* w_data, const cudnnTensorDescriptor_t* y,
    void* y_data, cudnnTensorDescriptor_t hy, void* hy_data, cudnnTensorDescriptor_t cy, void* cy_data,
    float intensity, int requested, int* returned, cudnnAlgorithmPerformance_t* results, void* workspace,
    size_t workspace_size, void* reserve, size_t reserve_size)>;

using FindBackwardData = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* y,
    const void* y_data, const cudnnTensorDescriptor_t* dy, const void* dy_data, cudnnTensorDescriptor_t dhy,
    const void* dhy_data, cudnnTensorDescriptor_t dcy, const void* dcy_data, cudnnFilterDescriptor_t w,
    const void* w_data, cudnnTensorDescriptor_t hx, const void* hx_data, cudnnTensorDescriptor_t cx,
    const void* cx_data, const cudnnTensorDescriptor_t* dx, void* dx_data, cudnnTensorDescriptor_t dhx,
    void* dhx_data, cudnnTensorDescriptor_t dcx, void* dcx_data, float intensity, int requested,
    int* returned, cudnnAlgorithmPerformance_t* results, void* workspace, size_t workspace_size,
    void* reserve, size_t reserve_size)>;

using FindBackwardWeights = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* x,
    const void* x_data, cudnnTensorDescriptor_t hx, const void* hx_data, const cudnnTensorDescriptor_t* y,
    const void* y_data, float intensity, int requested, int* returned, cudnnAlgorithmPerformance_t* results,
    const void* workspace, size_t workspace_size, cudnnFilterDescriptor_t dw, void* dw_data,
    const void* reserve, size_t reserve_size)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, InferSteps, cudnnRNNForwardInference, run_steps<false>, needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, TrainSteps, cudnnRNNForwardTraining, run_steps<true>, needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, DeriveSteps, cudnnRNNBackwardData, derive_steps, needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, DeriveWeightsOfSteps, cudnnRNNBackwardWeights, derive_weights_of_steps,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, InferSequences, cudnnRNNForwardInferenceEx, run_sequences<false>,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, TrainSequences, cudnnRNNForwardTrainingEx, run_sequences<true>,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, DeriveSequences, cudnnRNNBackwardDataEx, derive_sequences,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, DeriveWeightsOfSequences, cudnnRNNBackwardWeightsEx, derive_weights_of_sequences,
                      needs_workspace_setting);

DETSHIM_TEMPLATE_HOOK(cudnn, FindForwardInference, cudnnFindRNNForwardInferenceAlgorithmEx, find_rnn,
                      sorts_by_time);
DETSHIM_TEMPLATE_HOOK(cudnn, FindForwardTraining, cudnnFindRNNForwardTrainingAlgorithmEx, find_rnn,
                      sorts_by_time);
DETSHIM_TEMPLATE_HOOK(cudnn, FindBackwardData, cudnnFindRNNBackwardDataAlgorithmEx, find_rnn, sorts_by_time);
DETSHIM_TEMPLATE_HOOK(cudnn, FindBackwardWeights, cudnnFindRNNBackwardWeightsAlgorithmEx, find_rnn,
                      sorts_by_time);
