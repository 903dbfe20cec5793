// Operation graphs as training programs build them, one for each row of a table: convolutions of three kinds
// over shapes, layouts and types, matrix products, fusions, reductions, normalizations, attention, dropout.
#pragma once

#include "cudnn_backend.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using Dims = std::vector<int64_t>;

/// One graph being built: its tensors get their ids in turn.
class GraphBuilder {
public:
  explicit GraphBuilder(cudnnDataType_t type) : type_(type) {}

  /// What a tensor is besides its dimensions.
  struct Kind {
    bool is_virtual = false;
    bool is_by_value = false;
  };

  /// The strides of dimensions in their order: the last lies innermost.
  static Dims packed(const Dims& dims) {
    Dims strides(dims.size(), 1);
    for (size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
    return strides;
  }
  /// The strides of N, C, H, W with C innermost.
  static Dims channels_last(const Dims& dims) {
    return {dims[1] * dims[2] * dims[3], 1, dims[3] * dims[1], dims[1]};
  }

  Descriptor tensor(cudnnDataType_t type, const Dims& dims, const Dims& strides, Kind kind) {
    const auto descriptor = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    set(descriptor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{type});
    set(descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims);
    set(descriptor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides);
    set(descriptor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::vector{next_id_++});
    set(descriptor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::vector<int64_t>{16});
    if (kind.is_virtual) set_flag(descriptor, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
    if (kind.is_by_value) set_flag(descriptor, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
    finalize(descriptor);
    return descriptor;
  }
  Descriptor tensor(const Dims& dims, const Dims& strides) { return tensor(type_, dims, strides, {}); }
  Descriptor floats(const Dims& dims) { return tensor(CUDNN_DATA_FLOAT, dims, packed(dims), {}); }
  /// What one operation hands to the next.
  Descriptor between(const Dims& dims, const Dims& strides) {
    return tensor(CUDNN_DATA_FLOAT, dims, strides, {.is_virtual = true});
  }
  Descriptor scalar(size_t rank) {
    return tensor(CUDNN_DATA_FLOAT, Dims(rank, 1), Dims(rank, 1), {.is_by_value = true});
  }

  enum class Pass { forward, data, filter };
  void convolution(Pass pass, Descriptor x, Descriptor w, Descriptor y, const Dims& padding,
                   const Dims& stride);
  void pointwise(cudnnPointwiseMode_t mode, Descriptor x, Descriptor b, Descriptor y);
  void matmul(Descriptor a, Descriptor b, Descriptor c);
  /// `is_deterministic` < 0: not said. With DETERMINISTIC_REDUCTIONS in the environment, all are to be.
  void reduction(cudnnReduceTensorOp_t how, Descriptor x, Descriptor y, int is_deterministic = -1);
  void random(cudnnRngDistribution_t distribution, Descriptor y, int64_t seed);
  void random(cudnnRngDistribution_t distribution, Descriptor y, Descriptor seed, Descriptor offset);
  /// An operation of the other kinds: its type, and descriptors by attribute.
  Descriptor operation(cudnnBackendDescriptorType_t type,
                       const std::vector<std::pair<cudnnBackendAttributeName_t, Descriptor>>& tensors) {
    const auto result = create(type);
    for (const auto& [name, tensor] : tensors) set(result, name, tensor);
    return result;
  }
  void add(Descriptor operation) {
    finalize(operation);
    operations_.push_back(operation);
  }

  Descriptor finish() const { return operation_graph_of(operations_); }
  cudnnDataType_t type() const { return type_; }

private:
  static void set_flag(Descriptor descriptor, cudnnBackendAttributeName_t name) {
    const bool yes = true;
    check("set", CALL(cudnnBackendSetAttribute)(descriptor, name, CUDNN_TYPE_BOOLEAN, 1, &yes));
  }
  Descriptor rng(cudnnRngDistribution_t distribution);

  cudnnDataType_t type_;
  int64_t next_id_ = 1;
  std::vector<Descriptor> operations_;
};

inline void GraphBuilder::convolution(Pass pass, Descriptor x, Descriptor w, Descriptor y,
                                      const Dims& padding, const Dims& stride) {
  const auto convolution = create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const auto rank = static_cast<int64_t>(padding.size());
  set(convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  set(convolution, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
      std::vector{CUDNN_CROSS_CORRELATION});
  set(convolution, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::vector{rank});
  set(convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, padding);
  set(convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, padding);
  set(convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, stride);
  set(convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, Dims(padding.size(), 1));
  finalize(convolution);

  // The attributes of the three operations have different names for the same things.
  struct Names {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t convolution, x, w, y, alpha, beta;
  };
  static const Names all[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};
  const Names& names = all[static_cast<int>(pass)];
  const auto result = operation(names.operation,
                                {{names.convolution, convolution}, {names.x, x}, {names.w, w}, {names.y, y}});
  set(result, names.alpha, CUDNN_TYPE_FLOAT, std::vector{1.0F});
  set(result, names.beta, CUDNN_TYPE_FLOAT, std::vector{0.0F});
  add(result);
}

/// `b` is null for a function of one tensor. A backward function takes dy as x, and x as b.
inline void GraphBuilder::pointwise(cudnnPointwiseMode_t mode, Descriptor x, Descriptor b, Descriptor y) {
  const auto pointwise = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set(pointwise, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, std::vector{mode});
  set(pointwise, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  finalize(pointwise);
  const bool is_backward = mode >= CUDNN_POINTWISE_RELU_BWD && mode < CUDNN_POINTWISE_CMP_EQ;
  const auto result = create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set(result, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise);
  if (is_backward) {
    set(result, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, x);
    set(result, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, b);
    set(result, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, y);
  } else {
    set(result, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (b) set(result, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
    set(result, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  }
  add(result);
}

inline void GraphBuilder::matmul(Descriptor a, Descriptor b, Descriptor c) {
  const auto matmul = create(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  set(matmul, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  finalize(matmul);
  add(operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, {{CUDNN_ATTR_OPERATION_MATMUL_DESC, matmul},
                                                            {CUDNN_ATTR_OPERATION_MATMUL_ADESC, a},
                                                            {CUDNN_ATTR_OPERATION_MATMUL_BDESC, b},
                                                            {CUDNN_ATTR_OPERATION_MATMUL_CDESC, c}}));
}

inline void GraphBuilder::reduction(cudnnReduceTensorOp_t how, Descriptor x, Descriptor y,
                                    int is_deterministic) {
  const auto reduction = create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  set(reduction, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, std::vector{how});
  set(reduction, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  if (std::getenv("DETERMINISTIC_REDUCTIONS")) is_deterministic = 1;
  if (is_deterministic >= 0) {
    const bool value = is_deterministic != 0;
    check("set", CALL(cudnnBackendSetAttribute)(reduction, CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC,
                                                CUDNN_TYPE_BOOLEAN, 1, &value));
  }
  finalize(reduction);
  add(operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
                {{CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction},
                 {CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x},
                 {CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y}}));
}

inline Descriptor GraphBuilder::rng(cudnnRngDistribution_t distribution) {
  const auto rng = create(CUDNN_BACKEND_RNG_DESCRIPTOR);
  set(rng, CUDNN_ATTR_RNG_DISTRIBUTION, CUDNN_TYPE_RNG_DISTRIBUTION, std::vector{distribution});
  if (distribution == CUDNN_RNG_DISTRIBUTION_BERNOULLI)
    set(rng, CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, CUDNN_TYPE_DOUBLE, std::vector{0.9});
  finalize(rng);
  return rng;
}

inline void GraphBuilder::random(cudnnRngDistribution_t distribution, Descriptor y, int64_t seed) {
  const auto result =
      operation(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR,
                {{CUDNN_ATTR_OPERATION_RNG_YDESC, y}, {CUDNN_ATTR_OPERATION_RNG_DESC, rng(distribution)}});
  set(result, CUDNN_ATTR_OPERATION_RNG_SEED, CUDNN_TYPE_INT64, std::vector{seed});
  add(result);
}

inline void GraphBuilder::random(cudnnRngDistribution_t distribution, Descriptor y, Descriptor seed,
                                 Descriptor offset) {
  add(operation(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR, {{CUDNN_ATTR_OPERATION_RNG_YDESC, y},
                                                         {CUDNN_ATTR_OPERATION_RNG_DESC, rng(distribution)},
                                                         {CUDNN_ATTR_OPERATION_RNG_SEED, seed},
                                                         {CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC, offset}}));
}

/// A row of the table.
struct Graph {
  std::string name;
  cudnnDataType_t type;
  std::function<void(GraphBuilder&)> build;
};

inline const char* name_of(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT ? "float" : type == CUDNN_DATA_HALF ? "half" : "bf16";
}

inline void add_convolutions(std::vector<Graph>& table) {
  struct Shape {
    const char* name;
    int64_t n, c, k, size, filter, padding, stride;
  };
  static const Shape shapes[] = {{"stem", 32, 3, 64, 224, 7, 3, 2},
                                 {"3x3", 16, 128, 256, 64, 3, 1, 1},
                                 {"1x1", 16, 256, 64, 56, 1, 0, 1},
                                 {"strided", 16, 128, 256, 56, 3, 1, 2},
                                 {"small", 8, 64, 64, 28, 3, 1, 1}};
  using Pass = GraphBuilder::Pass;
  static const char* const passes[] = {"forward", "data", "filter"};
  for (const auto pass : {Pass::forward, Pass::data, Pass::filter})
    for (const Shape& s : shapes)
      for (const auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16})
        for (const bool last : {true, false}) {
          if (type == CUDNN_DATA_BFLOAT16 && !last) continue;
          table.push_back({std::string{"conv-"} + passes[static_cast<int>(pass)] + "-" + s.name + "-" +
                               name_of(type) + (last ? "-nhwc" : "-nchw"),
                           type, [=](GraphBuilder& g) {
                             const auto image = [&](const Dims& dims) {
                               return g.tensor(dims, last ? g.channels_last(dims) : g.packed(dims));
                             };
                             const int64_t out = (s.size + 2 * s.padding - s.filter) / s.stride + 1;
                             const auto x = image({s.n, s.c, s.size, s.size});
                             const auto w = image({s.k, s.c, s.filter, s.filter});
                             const auto y = image({s.n, s.k, out, out});
                             g.convolution(pass, x, w, y, {s.padding, s.padding}, {s.stride, s.stride});
                           }});
        }
}

inline void add_products(std::vector<Graph>& table) {
  struct Shape {
    const char* name;
    int64_t batch, m, n, k;
  };
  static const Shape shapes[] = {
      {"square", 1, 1024, 1024, 1024}, {"deep", 1, 64, 64, 65536}, {"batched", 64, 128, 128, 64}};
  for (const Shape& s : shapes)
    for (const auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16}) {
      const auto operands = [=](GraphBuilder& g) {
        const Dims a{s.batch, s.m, s.k}, b{s.batch, s.k, s.n};
        return std::pair{g.tensor(a, g.packed(a)), g.tensor(b, g.packed(b))};
      };
      const Dims c{s.batch, s.m, s.n};
      const std::string name = std::string{s.name} + "-" + name_of(type);
      table.push_back({"matmul-" + name, type, [=](GraphBuilder& g) {
                         const auto [a, b] = operands(g);
                         g.matmul(a, b, g.tensor(c, g.packed(c)));
                       }});
      table.push_back({"matmul-bias-" + name, type, [=](GraphBuilder& g) {
                         const auto [a, b] = operands(g);
                         const auto product = g.between(c, g.packed(c));
                         g.matmul(a, b, product);
                         const Dims bias{1, 1, s.n};
                         g.pointwise(CUDNN_POINTWISE_ADD, product, g.tensor(bias, g.packed(bias)),
                                     g.tensor(c, g.packed(c)));
                       }});
    }
}

inline void add_fusions(std::vector<Graph>& table) {
  const Dims x{16, 128, 32, 32}, w{128, 128, 3, 3}, bias{1, 128, 1, 1};
  for (const auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16}) {
    table.push_back({std::string{"conv-bias-relu-"} + name_of(type), type, [=](GraphBuilder& g) {
                       const auto last = [&](const Dims& dims) { return g.channels_last(dims); };
                       const auto product = g.between(x, last(x)), sum = g.between(x, last(x));
                       g.convolution(GraphBuilder::Pass::forward, g.tensor(x, last(x)), g.tensor(w, last(w)),
                                     product, {1, 1}, {1, 1});
                       g.pointwise(CUDNN_POINTWISE_ADD, product, g.tensor(bias, last(bias)), sum);
                       g.pointwise(CUDNN_POINTWISE_RELU_FWD, sum, nullptr, g.tensor(x, last(x)));
                     }});
    table.push_back({std::string{"data-relu-backward-"} + name_of(type), type, [=](GraphBuilder& g) {
                       const auto last = [&](const Dims& dims) { return g.channels_last(dims); };
                       const auto gradient = g.between(x, last(x));
                       g.convolution(GraphBuilder::Pass::data, gradient, g.tensor(w, last(w)),
                                     g.tensor(x, last(x)), {1, 1}, {1, 1});
                       g.pointwise(CUDNN_POINTWISE_RELU_BWD, gradient, g.tensor(x, last(x)),
                                   g.tensor(x, last(x)));
                     }});
    table.push_back({std::string{"add-relu-"} + name_of(type), type, [=](GraphBuilder& g) {
                       const auto last = [&](const Dims& dims) { return g.channels_last(dims); };
                       const auto sum = g.between(x, last(x));
                       g.pointwise(CUDNN_POINTWISE_ADD, g.tensor(x, last(x)), g.tensor(bias, last(bias)),
                                   sum);
                       g.pointwise(CUDNN_POINTWISE_RELU_FWD, sum, nullptr, g.tensor(x, last(x)));
                     }});
  }
}

inline void add_reductions(std::vector<Graph>& table) {
  const Dims x{16, 128, 32, 32}, channels{1, 128, 1, 1}, one{1, 1, 1, 1};
  static const std::pair<const char*, int> promises[] = {{"", -1}, {"-asked-for", 1}, {"-waived", 0}};
  for (const auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF})
    for (const auto& [promise, value] : promises) {
      table.push_back({std::string{"reduction-channels-"} + name_of(type) + promise, type,
                       [=, value = value](GraphBuilder& g) {
                         g.reduction(CUDNN_REDUCE_TENSOR_ADD, g.tensor(x, g.channels_last(x)),
                                     g.floats(channels), value);
                       }});
      table.push_back({std::string{"reduction-all-"} + name_of(type) + promise, type,
                       [=, value = value](GraphBuilder& g) {
                         g.reduction(CUDNN_REDUCE_TENSOR_ADD, g.tensor(x, g.channels_last(x)), g.floats(one),
                                     value);
                       }});
      table.push_back({std::string{"matmul-reduction-"} + name_of(type) + promise, type,
                       [=, value = value](GraphBuilder& g) {
                         const Dims a{1, 1024, 512}, c{1, 1024, 512}, b{1, 512, 512}, column{1, 1, 512};
                         const auto product = g.between(c, g.packed(c));
                         g.matmul(g.tensor(a, g.packed(a)), g.tensor(b, g.packed(b)), product);
                         g.reduction(CUDNN_REDUCE_TENSOR_ADD, product, g.floats(column), value);
                       }});
    }
}

inline void add_normalizations(std::vector<Graph>& table) {
  struct Norm {
    const char* name;
    cudnnBackendNormMode_t mode;
    Dims x, statistics, weights;
  };
  static const Norm norms[] = {
      {"layer-norm", CUDNN_LAYER_NORM, {4096, 1024, 1, 1}, {4096, 1, 1, 1}, {1, 1024, 1, 1}},
      {"rms-norm", CUDNN_RMS_NORM, {4096, 1024, 1, 1}, {4096, 1, 1, 1}, {1, 1024, 1, 1}},
      {"batch-norm", CUDNN_BATCH_NORM, {16, 64, 28, 28}, {1, 64, 1, 1}, {1, 64, 1, 1}},
      {"instance-norm", CUDNN_INSTANCE_NORM, {16, 64, 28, 28}, {16, 64, 1, 1}, {1, 64, 1, 1}}};
  for (const Norm& norm : norms)
    for (const auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16}) {
      const bool has_mean = norm.mode != CUDNN_RMS_NORM;
      table.push_back(
          {std::string{norm.name} + "-forward-" + name_of(type), type, [=](GraphBuilder& g) {
             const auto last = [&](const Dims& dims) { return g.channels_last(dims); };
             const auto like = [&](const Dims& dims) {
               return g.tensor(CUDNN_DATA_FLOAT, dims, last(dims), {});
             };
             const auto operation =
                 g.operation(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
                             {{CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, g.tensor(norm.x, last(norm.x))},
                              {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, like(norm.statistics)},
                              {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, like(norm.weights)},
                              {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, g.scalar(4)},
                              {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, g.tensor(norm.x, last(norm.x))}});
             if (has_mean) {
               set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, like(norm.statistics));
               set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, like(norm.weights));
             }
             set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, std::vector{norm.mode});
             set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
                 std::vector{CUDNN_NORM_FWD_TRAINING});
             g.add(operation);
           }});
      table.push_back(
          {std::string{norm.name} + "-backward-" + name_of(type), type, [=](GraphBuilder& g) {
             const auto last = [&](const Dims& dims) { return g.channels_last(dims); };
             const auto like = [&](const Dims& dims) {
               return g.tensor(CUDNN_DATA_FLOAT, dims, last(dims), {});
             };
             const auto operation =
                 g.operation(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR,
                             {{CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, g.tensor(norm.x, last(norm.x))},
                              {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, g.tensor(norm.x, last(norm.x))},
                              {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, like(norm.statistics)},
                              {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, like(norm.weights)},
                              {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, like(norm.weights)},
                              {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, g.tensor(norm.x, last(norm.x))}});
             if (has_mean) {
               set(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, like(norm.statistics));
               set(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, like(norm.weights));
             }
             set(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE, std::vector{norm.mode});
             g.add(operation);
           }});
    }
}

inline void add_attention(std::vector<Graph>& table) {
  const int64_t batch = 4, heads = 16, length = 1024, width = 64;
  const Dims rows{batch, heads, length, width}, scores{batch, heads, length, length},
      statistics{batch, heads, length, 1};
  for (const auto type : {CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16}) {
    table.push_back({std::string{"sdpa-forward-"} + name_of(type), type, [=](GraphBuilder& g) {
                       const auto row = [&] { return g.tensor(rows, g.packed(rows)); };
                       g.add(g.operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR,
                                         {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, g.floats(statistics)},
                                          {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, g.scalar(4)}}));
                     }});
    table.push_back({std::string{"sdpa-backward-"} + name_of(type), type, [=](GraphBuilder& g) {
                       const auto row = [&] { return g.tensor(rows, g.packed(rows)); };
                       g.add(g.operation(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR,
                                         {{CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, g.floats(statistics)},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, g.scalar(4)},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, row()},
                                          {CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, row()}}));
                     }});
    // The same forward pass of single operations, with dropout after the softmax or without.
    for (const bool drops : {false, true})
      table.push_back(
          {std::string{"attention-forward-"} + (drops ? "dropout-" : "") + name_of(type), type,
           [=](GraphBuilder& g) {
             const Dims transposed{batch, heads, width, length};
             const auto square = [&] { return g.between(scores, g.packed(scores)); };
             const auto column = [&] { return g.between(statistics, g.packed(statistics)); };
             const auto product = square(), scaled = square(), reduced = square(), powers = square();
             const auto largest = column(), sum = column();
             g.matmul(g.tensor(rows, g.packed(rows)),
                      g.tensor(transposed, {heads * length * width, length * width, 1, width}), product);
             g.pointwise(CUDNN_POINTWISE_MUL, product, g.scalar(4), scaled);
             g.reduction(CUDNN_REDUCE_TENSOR_MAX, scaled, largest);
             g.pointwise(CUDNN_POINTWISE_SUB, scaled, largest, reduced);
             g.pointwise(CUDNN_POINTWISE_EXP, reduced, nullptr, powers);
             g.reduction(CUDNN_REDUCE_TENSOR_ADD, powers, sum);
             const auto logarithm = column();
             g.pointwise(CUDNN_POINTWISE_LOG, sum, nullptr, logarithm);
             g.pointwise(CUDNN_POINTWISE_ADD, largest, logarithm, g.floats(statistics));
             const auto probabilities = [&] {
               return g.tensor(type, scores, g.packed(scores), {.is_virtual = true});
             };
             auto weights = drops ? square() : probabilities();
             g.pointwise(CUDNN_POINTWISE_DIV, powers, sum, weights);
             if (drops) {
               const auto mask = square(), kept = square(), rescaled = probabilities();
               const auto one = [&] { return g.tensor(CUDNN_DATA_INT64, {1, 1, 1, 1}, {1, 1, 1, 1}, {}); };
               g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, mask, one(), one());
               g.pointwise(CUDNN_POINTWISE_MUL, weights, mask, kept);
               g.pointwise(CUDNN_POINTWISE_MUL, kept, g.scalar(4), rescaled);
               weights = rescaled;
             }
             g.matmul(weights, g.tensor(rows, g.packed(rows)), g.tensor(rows, g.packed(rows)));
           }});
  }
}

inline void add_dropout(std::vector<Graph>& table) {
  const Dims x{1, 1024, 512};
  table.push_back({"rng", CUDNN_DATA_FLOAT,
                   [=](GraphBuilder& g) { g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, g.floats(x), 7); }});
  for (const auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF}) {
    table.push_back({std::string{"dropout-"} + name_of(type), type, [=](GraphBuilder& g) {
                       const auto mask = g.between(x, g.packed(x));
                       g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, mask, 7);
                       g.pointwise(CUDNN_POINTWISE_MUL, g.tensor(x, g.packed(x)), mask,
                                   g.tensor(x, g.packed(x)));
                     }});
    table.push_back({std::string{"matmul-dropout-"} + name_of(type), type, [=](GraphBuilder& g) {
                       const Dims a{1, 1024, 512}, b{1, 512, 512};
                       const auto product = g.between(x, g.packed(x)), mask = g.between(x, g.packed(x));
                       g.matmul(g.tensor(a, g.packed(a)), g.tensor(b, g.packed(b)), product);
                       g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, mask, 7);
                       g.pointwise(CUDNN_POINTWISE_MUL, product, mask, g.tensor(x, g.packed(x)));
                     }});
  }
}

inline std::vector<Graph> all_graphs() {
  std::vector<Graph> table;
  add_convolutions(table);
  add_products(table);
  add_fusions(table);
  add_reductions(table);
  add_normalizations(table);
  add_attention(table);
  add_dropout(table);
  return table;
}

inline Descriptor build(const Graph& graph) {
  GraphBuilder builder(graph.type);
  graph.build(builder);
  return builder.finish();
}
