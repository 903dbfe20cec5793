// Operation graphs as training programs build them: convolutions of three kinds over shapes,
// layouts and types, matrix products, fusions, reductions, normalizations, attention, dropout.
// graph_table() names them all; above it, the builders that its rows name.
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
    bool is_reordered = false; ///< as matrix instructions have it in registers
  };

  /// The strides of dimensions in their order: the last lies innermost.
  static Dims packed(const Dims& dims) {
    Dims strides(dims.size(), 1);
    for (size_t i = dims.size() - 1; i > 0; --i)
      strides[i - 1] = strides[i] * dims[i];
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
    if (kind.is_virtual)
      set_flag(descriptor, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
    if (kind.is_by_value)
      set_flag(descriptor, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
    if (kind.is_reordered)
      set(descriptor, CUDNN_ATTR_TENSOR_REORDERING_MODE, CUDNN_TYPE_TENSOR_REORDERING_MODE,
          std::vector{CUDNN_TENSOR_REORDERING_F16x16});
    finalize(descriptor);
    return descriptor;
  }
  Descriptor tensor(const Dims& dims, const Dims& strides) {
    return tensor(type_, dims, strides, {});
  }
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
  void reshape(Descriptor x, Descriptor y);
  /// `is_deterministic` < 0: not said. With DETERMINISTIC_REDUCTIONS in the environment, all are to
  /// be.
  void reduction(cudnnReduceTensorOp_t how, Descriptor x, Descriptor y, int is_deterministic = -1);
  void random(cudnnRngDistribution_t distribution, Descriptor y, int64_t seed);
  void random(cudnnRngDistribution_t distribution, Descriptor y, Descriptor seed,
              Descriptor offset);
  /// An operation of the other kinds: its type, and descriptors by attribute.
  Descriptor
  operation(cudnnBackendDescriptorType_t type,
            const std::vector<std::pair<cudnnBackendAttributeName_t, Descriptor>>& tensors) {
    const auto result = create(type);
    for (const auto& [name, tensor] : tensors)
      set(result, name, tensor);
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
  set(convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
      std::vector{CUDNN_DATA_FLOAT});
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
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};
  const Names& names = all[static_cast<int>(pass)];
  const auto result =
      operation(names.operation,
                {{names.convolution, convolution}, {names.x, x}, {names.w, w}, {names.y, y}});
  set(result, names.alpha, CUDNN_TYPE_FLOAT, std::vector{1.0F});
  set(result, names.beta, CUDNN_TYPE_FLOAT, std::vector{0.0F});
  add(result);
}

/// `b` is null for a function of one tensor. A backward function takes dy as x, and x as b.
inline void GraphBuilder::pointwise(cudnnPointwiseMode_t mode, Descriptor x, Descriptor b,
                                    Descriptor y) {
  const auto pointwise = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set(pointwise, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, std::vector{mode});
  set(pointwise, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE,
      std::vector{CUDNN_DATA_FLOAT});
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
    if (b)
      set(result, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
    set(result, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  }
  add(result);
}

inline void GraphBuilder::matmul(Descriptor a, Descriptor b, Descriptor c) {
  const auto matmul = create(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  set(matmul, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
  finalize(matmul);
  add(operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
                {{CUDNN_ATTR_OPERATION_MATMUL_DESC, matmul},
                 {CUDNN_ATTR_OPERATION_MATMUL_ADESC, a},
                 {CUDNN_ATTR_OPERATION_MATMUL_BDESC, b},
                 {CUDNN_ATTR_OPERATION_MATMUL_CDESC, c}}));
}

inline void GraphBuilder::reshape(Descriptor x, Descriptor y) {
  add(operation(
      CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x}, {CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y}}));
}

inline void GraphBuilder::reduction(cudnnReduceTensorOp_t how, Descriptor x, Descriptor y,
                                    int is_deterministic) {
  const auto reduction = create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  set(reduction, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE,
      std::vector{how});
  set(reduction, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
      std::vector{CUDNN_DATA_FLOAT});
  if (std::getenv("DETERMINISTIC_REDUCTIONS"))
    is_deterministic = 1;
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
  const auto result = operation(
      CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_RNG_YDESC, y}, {CUDNN_ATTR_OPERATION_RNG_DESC, rng(distribution)}});
  set(result, CUDNN_ATTR_OPERATION_RNG_SEED, CUDNN_TYPE_INT64, std::vector{seed});
  add(result);
}

inline void GraphBuilder::random(cudnnRngDistribution_t distribution, Descriptor y, Descriptor seed,
                                 Descriptor offset) {
  add(operation(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR,
                {{CUDNN_ATTR_OPERATION_RNG_YDESC, y},
                 {CUDNN_ATTR_OPERATION_RNG_DESC, rng(distribution)},
                 {CUDNN_ATTR_OPERATION_RNG_SEED, seed},
                 {CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC, offset}}));
}

/// What a row's graph is built by; the data type is the builder's.
using Build = std::function<void(GraphBuilder&)>;
using Pass = GraphBuilder::Pass;
using Layout = Dims (*)(const Dims&);

struct ConvolutionShape {
  int64_t n, c, k, size, filter, padding, stride;
};

inline Build convolution(Pass pass, const ConvolutionShape& s, Layout layout) {
  return [=](GraphBuilder& g) {
    const auto image = [&](const Dims& dims) {
      return g.tensor(dims, layout(dims));
    };
    const int64_t out = (s.size + 2 * s.padding - s.filter) / s.stride + 1;
    const auto x = image({s.n, s.c, s.size, s.size});
    const auto w = image({s.k, s.c, s.filter, s.filter});
    const auto y = image({s.n, s.k, out, out});
    g.convolution(pass, x, w, y, {s.padding, s.padding}, {s.stride, s.stride});
  };
}

struct ProductShape {
  int64_t batch, m, n, k;
  Dims a() const { return {batch, m, k}; }
  Dims b() const { return {batch, k, n}; }
  Dims c() const { return {batch, m, n}; }
};

inline void multiply(GraphBuilder& g, const ProductShape& s, Descriptor c) {
  const Dims a = s.a(), b = s.b();
  g.matmul(g.tensor(a, g.packed(a)), g.tensor(b, g.packed(b)), c);
}

inline Build matmul(const ProductShape& s) {
  return [=](GraphBuilder& g) {
    multiply(g, s, g.tensor(s.c(), g.packed(s.c())));
  };
}

inline Build matmul_bias(const ProductShape& s) {
  return [=](GraphBuilder& g) {
    const Dims c = s.c(), bias{1, 1, s.n};
    const auto product = g.between(c, g.packed(c));
    multiply(g, s, product);
    g.pointwise(CUDNN_POINTWISE_ADD, product, g.tensor(bias, g.packed(bias)),
                g.tensor(c, g.packed(c)));
  };
}

// The images of the fusions and of the reductions, C innermost.
inline const Dims image_dims{16, 128, 32, 32}, filter_dims{128, 128, 3, 3},
    channel_dims{1, 128, 1, 1};

inline Descriptor last_tensor(GraphBuilder& g, const Dims& dims) {
  return g.tensor(dims, g.channels_last(dims));
}
inline Descriptor last_between(GraphBuilder& g, const Dims& dims) {
  return g.between(dims, g.channels_last(dims));
}

inline void conv_bias_relu(GraphBuilder& g) {
  const auto product = last_between(g, image_dims), sum = last_between(g, image_dims);
  g.convolution(Pass::forward, last_tensor(g, image_dims), last_tensor(g, filter_dims), product,
                {1, 1}, {1, 1});
  g.pointwise(CUDNN_POINTWISE_ADD, product, last_tensor(g, channel_dims), sum);
  g.pointwise(CUDNN_POINTWISE_RELU_FWD, sum, nullptr, last_tensor(g, image_dims));
}

inline void data_relu_backward(GraphBuilder& g) {
  const auto gradient = last_between(g, image_dims);
  g.convolution(Pass::data, gradient, last_tensor(g, filter_dims), last_tensor(g, image_dims),
                {1, 1}, {1, 1});
  g.pointwise(CUDNN_POINTWISE_RELU_BWD, gradient, last_tensor(g, image_dims),
              last_tensor(g, image_dims));
}

inline void add_relu(GraphBuilder& g) {
  const auto sum = last_between(g, image_dims);
  g.pointwise(CUDNN_POINTWISE_ADD, last_tensor(g, image_dims), last_tensor(g, channel_dims), sum);
  g.pointwise(CUDNN_POINTWISE_RELU_FWD, sum, nullptr, last_tensor(g, image_dims));
}

/// What a program says of a reduction's determinism.
enum Promise { unsaid = -1, waived = 0, asked_for = 1 };

inline Build reduction(const Dims& result, Promise promise) {
  return [=](GraphBuilder& g) {
    g.reduction(CUDNN_REDUCE_TENSOR_ADD, last_tensor(g, image_dims), g.floats(result), promise);
  };
}

inline Build matmul_reduction(Promise promise) {
  return [=](GraphBuilder& g) {
    const ProductShape s{1, 1024, 512, 512};
    const auto product = g.between(s.c(), g.packed(s.c()));
    multiply(g, s, product);
    g.reduction(CUDNN_REDUCE_TENSOR_ADD, product, g.floats({1, 1, s.n}), promise);
  };
}

struct Norm {
  cudnnBackendNormMode_t mode;
  Dims x, statistics, weights;
  bool has_mean() const { return mode != CUDNN_RMS_NORM; }
};

inline Build norm_forward(const Norm& norm) {
  return [=](GraphBuilder& g) {
    const auto like = [&](const Dims& dims) {
      return g.tensor(CUDNN_DATA_FLOAT, dims, g.channels_last(dims), {});
    };
    const auto operation =
        g.operation(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, last_tensor(g, norm.x)},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, like(norm.statistics)},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, like(norm.weights)},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, g.scalar(4)},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, last_tensor(g, norm.x)}});
    if (norm.has_mean()) {
      set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, like(norm.statistics));
      set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, like(norm.weights));
    }
    set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE,
        std::vector{norm.mode});
    set(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
        std::vector{CUDNN_NORM_FWD_TRAINING});
    g.add(operation);
  };
}

inline Build norm_backward(const Norm& norm) {
  return [=](GraphBuilder& g) {
    const auto like = [&](const Dims& dims) {
      return g.tensor(CUDNN_DATA_FLOAT, dims, g.channels_last(dims), {});
    };
    const auto operation =
        g.operation(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, last_tensor(g, norm.x)},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, last_tensor(g, norm.x)},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, like(norm.statistics)},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, like(norm.weights)},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, like(norm.weights)},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, last_tensor(g, norm.x)}});
    if (norm.has_mean()) {
      set(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, like(norm.statistics));
      set(operation, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, like(norm.weights));
    }
    set(operation, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE,
        std::vector{norm.mode});
    g.add(operation);
  };
}

/// The tensors of scaled dot-product attention: batch, heads, length, width.
class Attention {
public:
  explicit Attention(GraphBuilder& builder) : g(builder) {}
  Descriptor rows() { return g.tensor(row_dims, g.packed(row_dims)); }
  /// Rows as columns: K and V, as a matrix product takes them.
  Descriptor columns() {
    return g.tensor(column_dims, {heads * length * width, length * width, 1, width});
  }
  Descriptor statistics() { return g.floats(statistic_dims); }
  // What one operation hands to the next: a row's products, their transpose, a number a row.
  Descriptor square() { return g.between(square_dims, g.packed(square_dims)); }
  Descriptor typed_square() {
    return g.tensor(g.type(), square_dims, g.packed(square_dims), {.is_virtual = true});
  }
  Descriptor transposed_square() {
    return g.tensor(g.type(), square_dims, {heads * length * length, length * length, 1, length},
                    {.is_virtual = true});
  }
  Descriptor number() { return g.between(statistic_dims, g.packed(statistic_dims)); }
  Descriptor row_between() { return g.between(row_dims, g.packed(row_dims)); }
  Descriptor typed_row_between() {
    return g.tensor(g.type(), row_dims, g.packed(row_dims), {.is_virtual = true});
  }
  Descriptor accumulator() {
    return g.tensor(CUDNN_DATA_FLOAT, row_dims, g.packed(row_dims), {.is_reordered = true});
  }

private:
  static constexpr int64_t batch = 4, heads = 16, length = 1024, width = 64;
  GraphBuilder& g;
  const Dims row_dims{batch, heads, length, width}, column_dims{batch, heads, width, length},
      square_dims{batch, heads, length, length}, statistic_dims{batch, heads, length, 1};
};

/// The forward pass as one operation.
inline void sdpa_forward(GraphBuilder& g) {
  Attention a(g);
  g.add(g.operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, a.statistics()},
                     {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, g.scalar(4)}}));
}

/// The backward pass as one operation.
inline void sdpa_backward(GraphBuilder& g) {
  Attention a(g);
  g.add(g.operation(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, a.statistics()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, g.scalar(4)},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, a.rows()},
                     {CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, a.rows()}}));
}

/// The forward pass of single operations, with dropout after the softmax or without.
inline Build attention_forward(bool drops) {
  return [=](GraphBuilder& g) {
    Attention a(g);
    const auto product = a.square(), scaled = a.square(), reduced = a.square(), powers = a.square();
    const auto largest = a.number(), sum = a.number(), logarithm = a.number();
    g.matmul(a.rows(), a.columns(), product);
    g.pointwise(CUDNN_POINTWISE_MUL, product, g.scalar(4), scaled);
    g.reduction(CUDNN_REDUCE_TENSOR_MAX, scaled, largest);
    g.pointwise(CUDNN_POINTWISE_SUB, scaled, largest, reduced);
    g.pointwise(CUDNN_POINTWISE_EXP, reduced, nullptr, powers);
    g.reduction(CUDNN_REDUCE_TENSOR_ADD, powers, sum);
    g.pointwise(CUDNN_POINTWISE_LOG, sum, nullptr, logarithm);
    g.pointwise(CUDNN_POINTWISE_ADD, largest, logarithm, a.statistics());
    auto weights = drops ? a.square() : a.typed_square();
    g.pointwise(CUDNN_POINTWISE_DIV, powers, sum, weights);
    if (drops) {
      const auto mask = a.square(), kept = a.square(), rescaled = a.typed_square();
      const auto one = [&] {
        return g.tensor(CUDNN_DATA_INT64, {1, 1, 1, 1}, {1, 1, 1, 1}, {});
      };
      g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, mask, one(), one());
      g.pointwise(CUDNN_POINTWISE_MUL, weights, mask, kept);
      g.pointwise(CUDNN_POINTWISE_MUL, kept, g.scalar(4), rescaled);
      weights = rescaled;
    }
    g.matmul(weights, a.rows(), a.rows());
  };
}

/// The backward pass of single operations, as cudnn-frontend builds it up to now
/// (node/scaled_dot_product_flash_attention.h). Where it accumulates, dQ is the sum of what many
/// blocks add to one piece of memory: its fast and nondeterministic form.
inline Build attention_backward(bool accumulates) {
  return [=](GraphBuilder& g) {
    Attention a(g);
    const auto q = a.rows(), k = a.columns(), v = a.columns(), o = a.rows(), gradient = a.rows();
    const auto weighted = a.row_between(), sums = a.number(), scaled_sums = a.number();
    g.pointwise(CUDNN_POINTWISE_MUL, gradient, o, weighted);
    g.reduction(CUDNN_REDUCE_TENSOR_ADD, weighted, sums);
    g.pointwise(CUDNN_POINTWISE_MUL, sums, g.scalar(4), scaled_sums);

    const auto product = a.square(), scaled = a.square(), reduced = a.square(), powers = a.square();
    const auto transposed_powers = a.transposed_square();
    g.matmul(q, k, product);
    g.pointwise(CUDNN_POINTWISE_MUL, product, g.scalar(4), scaled);
    g.pointwise(CUDNN_POINTWISE_SUB, scaled, a.statistics(), reduced);
    g.pointwise(CUDNN_POINTWISE_EXP, reduced, nullptr, powers);
    g.reshape(powers, transposed_powers);
    g.matmul(transposed_powers, gradient, a.rows()); // dV

    const auto dp = a.square(), masked = a.square(), centred = a.square(), ds = a.square(),
               scaled_ds = a.square(), transposed_ds = a.transposed_square();
    g.matmul(gradient, v, dp);
    g.pointwise(CUDNN_POINTWISE_MUL, dp, g.scalar(4), masked);
    g.pointwise(CUDNN_POINTWISE_SUB, masked, scaled_sums, centred);
    g.pointwise(CUDNN_POINTWISE_MUL, centred, powers, ds);
    g.pointwise(CUDNN_POINTWISE_MUL, ds, g.scalar(4), scaled_ds);
    g.reshape(scaled_ds, transposed_ds);
    g.matmul(transposed_ds, q, a.rows()); // dK

    const auto reshaped_k = a.typed_row_between();
    g.reshape(k, reshaped_k);
    const auto accumulator = accumulates ? a.accumulator() : a.rows();
    g.matmul(scaled_ds, reshaped_k, accumulator); // dQ
    if (accumulates)
      g.pointwise(CUDNN_POINTWISE_IDENTITY, accumulator, nullptr, a.rows());
  };
}

constexpr int64_t constant_seed = 7;

inline void rng(GraphBuilder& g) {
  g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, g.floats({1, 1024, 512}), constant_seed);
}

inline void dropout(GraphBuilder& g) {
  const Dims x{1, 1024, 512};
  const auto mask = g.between(x, g.packed(x));
  g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, mask, constant_seed);
  g.pointwise(CUDNN_POINTWISE_MUL, g.tensor(x, g.packed(x)), mask, g.tensor(x, g.packed(x)));
}

inline void matmul_dropout(GraphBuilder& g) {
  const ProductShape s{1, 1024, 512, 512};
  const Dims x = s.c();
  const auto product = g.between(x, g.packed(x)), mask = g.between(x, g.packed(x));
  multiply(g, s, product);
  g.random(CUDNN_RNG_DISTRIBUTION_BERNOULLI, mask, constant_seed);
  g.pointwise(CUDNN_POINTWISE_MUL, product, mask, g.tensor(x, g.packed(x)));
}

/// What the library answers where there is no GPU, in cuDNN 9.19 and with a driver library to load.
enum class Answer {
  engines,
  no_engine, ///< an empty list, in every mode
  refusal,   ///< the operation graph cannot be finalized
};

/// A row of the table: a graph, in each of some data types.
struct Row {
  const char* name;
  std::vector<cudnnDataType_t> types;
  Build build;
  Answer answer = Answer::engines;
};

inline std::vector<Row> graph_table() {
  const Layout nhwc = GraphBuilder::channels_last, nchw = GraphBuilder::packed;
  const std::vector all{CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16};
  const std::vector common{CUDNN_DATA_FLOAT, CUDNN_DATA_HALF};
  const std::vector halves{CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16};
  const std::vector floats{CUDNN_DATA_FLOAT};

  const ConvolutionShape stem{32, 3, 64, 224, 7, 3, 2}, usual{16, 128, 256, 64, 3, 1, 1},
      pointwise{16, 256, 64, 56, 1, 0, 1}, strided{16, 128, 256, 56, 3, 1, 2},
      small{8, 64, 64, 28, 3, 1, 1};
  const ProductShape square{1, 1024, 1024, 1024}, deep{1, 64, 64, 65536}, batched{64, 128, 128, 64};
  const Dims channels = channel_dims, one{1, 1, 1, 1};
  const Norm layer{CUDNN_LAYER_NORM, {4096, 1024, 1, 1}, {4096, 1, 1, 1}, {1, 1024, 1, 1}},
      rms{CUDNN_RMS_NORM, {4096, 1024, 1, 1}, {4096, 1, 1, 1}, {1, 1024, 1, 1}},
      batch{CUDNN_BATCH_NORM, {16, 64, 28, 28}, {1, 64, 1, 1}, {1, 64, 1, 1}},
      instance{CUDNN_INSTANCE_NORM, {16, 64, 28, 28}, {16, 64, 1, 1}, {1, 64, 1, 1}};

  return {
      {"conv-forward-stem-nhwc", all, convolution(Pass::forward, stem, nhwc)},
      {"conv-forward-stem-nchw", common, convolution(Pass::forward, stem, nchw)},
      {"conv-forward-3x3-nhwc", all, convolution(Pass::forward, usual, nhwc)},
      {"conv-forward-3x3-nchw", common, convolution(Pass::forward, usual, nchw)},
      {"conv-forward-1x1-nhwc", all, convolution(Pass::forward, pointwise, nhwc)},
      {"conv-forward-1x1-nchw", common, convolution(Pass::forward, pointwise, nchw)},
      {"conv-forward-strided-nhwc", all, convolution(Pass::forward, strided, nhwc)},
      {"conv-forward-strided-nchw", common, convolution(Pass::forward, strided, nchw)},
      {"conv-forward-small-nhwc", all, convolution(Pass::forward, small, nhwc)},
      {"conv-forward-small-nchw", common, convolution(Pass::forward, small, nchw)},
      {"conv-data-stem-nhwc", all, convolution(Pass::data, stem, nhwc)},
      {"conv-data-stem-nchw", common, convolution(Pass::data, stem, nchw)},
      {"conv-data-3x3-nhwc", all, convolution(Pass::data, usual, nhwc)},
      {"conv-data-3x3-nchw", common, convolution(Pass::data, usual, nchw)},
      {"conv-data-1x1-nhwc", all, convolution(Pass::data, pointwise, nhwc)},
      {"conv-data-1x1-nchw", common, convolution(Pass::data, pointwise, nchw)},
      {"conv-data-strided-nhwc", all, convolution(Pass::data, strided, nhwc)},
      {"conv-data-strided-nchw", common, convolution(Pass::data, strided, nchw)},
      {"conv-data-small-nhwc", all, convolution(Pass::data, small, nhwc)},
      {"conv-data-small-nchw", common, convolution(Pass::data, small, nchw)},
      {"conv-filter-stem-nhwc", all, convolution(Pass::filter, stem, nhwc)},
      {"conv-filter-stem-nchw", common, convolution(Pass::filter, stem, nchw)},
      {"conv-filter-3x3-nhwc", all, convolution(Pass::filter, usual, nhwc)},
      {"conv-filter-3x3-nchw", common, convolution(Pass::filter, usual, nchw)},
      {"conv-filter-1x1-nhwc", all, convolution(Pass::filter, pointwise, nhwc)},
      {"conv-filter-1x1-nchw", common, convolution(Pass::filter, pointwise, nchw)},
      {"conv-filter-strided-nhwc", all, convolution(Pass::filter, strided, nhwc)},
      {"conv-filter-strided-nchw", common, convolution(Pass::filter, strided, nchw)},
      {"conv-filter-small-nhwc", all, convolution(Pass::filter, small, nhwc)},
      {"conv-filter-small-nchw", common, convolution(Pass::filter, small, nchw)},
      {"matmul-square", all, matmul(square)},
      {"matmul-bias-square", all, matmul_bias(square)},
      {"matmul-deep", all, matmul(deep)},
      {"matmul-bias-deep", all, matmul_bias(deep)},
      {"matmul-batched", all, matmul(batched)},
      {"matmul-bias-batched", all, matmul_bias(batched)},
      {"conv-bias-relu", all, conv_bias_relu},
      {"data-relu-backward", all, data_relu_backward},
      {"add-relu", all, add_relu},
      {"reduction-channels", common, reduction(channels, unsaid)},
      {"reduction-all", common, reduction(one, unsaid)},
      {"matmul-reduction", common, matmul_reduction(unsaid)},
      {"reduction-channels-asked-for", common, reduction(channels, asked_for)},
      {"reduction-all-asked-for", common, reduction(one, asked_for)},
      {"matmul-reduction-asked-for", common, matmul_reduction(asked_for)},
      {"reduction-channels-waived", common, reduction(channels, waived)},
      {"reduction-all-waived", common, reduction(one, waived)},
      {"matmul-reduction-waived", common, matmul_reduction(waived)},
      {"layer-norm-forward", all, norm_forward(layer)},
      {"layer-norm-backward", all, norm_backward(layer)},
      {"rms-norm-forward", all, norm_forward(rms)},
      {"rms-norm-backward", all, norm_backward(rms)},
      {"batch-norm-forward", all, norm_forward(batch)},
      {"batch-norm-backward", all, norm_backward(batch)},
      {"instance-norm-forward", all, norm_forward(instance)},
      {"instance-norm-backward", all, norm_backward(instance)},
      {"sdpa-forward", halves, sdpa_forward},
      {"sdpa-backward", halves, sdpa_backward, Answer::refusal},
      {"attention-forward", halves, attention_forward(false)},
      {"attention-forward-dropout", halves, attention_forward(true)},
      {"attention-backward", halves, attention_backward(false)},
      {"attention-backward-accumulating", halves, attention_backward(true)},
      {"rng", floats, rng, Answer::no_engine},
      {"dropout", common, dropout, Answer::no_engine},
      {"matmul-dropout", common, matmul_dropout, Answer::no_engine},
  };
}

/// One graph of the table: a row in one data type.
struct Graph {
  std::string name;
  cudnnDataType_t type;
  Build build;
  Answer answer;
};

inline std::vector<Graph> all_graphs() {
  std::vector<Graph> graphs;
  for (const Row& row : graph_table())
    for (const auto type : row.types) {
      const char* const type_name = type == CUDNN_DATA_FLOAT  ? "-float"
                                    : type == CUDNN_DATA_HALF ? "-half"
                                                              : "-bf16";
      graphs.push_back({std::string{row.name} + type_name, type, row.build, row.answer});
    }
  return graphs;
}

inline Descriptor build(const Graph& graph) {
  GraphBuilder builder(graph.type);
  graph.build(builder);
  return builder.finish();
}
