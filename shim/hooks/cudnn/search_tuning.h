// How a convolution of cuDNN's legacy API is named in the tuning file (docs/TUNING_FILE.md), how a search's
// answer is kept there, and how long an algorithm may be said to take that was not timed.
#pragma once

#include "core/tuning/tuning.h"
#include "hooks/cudnn/common.h"
#include "hooks/tuning_place.h"

namespace detshim::cudnn {

/// One search, as the tuning file names it.
class ConvolutionProblem {
public:
  /// Reads the descriptors by the library's own getters (cudnn_ops.h and cudnn_cnn.h). `operation` is kept as
  /// it is; `descriptors` are those of the search, in its order.
  template <typename Call, typename... Descriptors>
  ConvolutionProblem(const Call& call, const char* operation, abi::cudnnHandle_t, Descriptors... descriptors)
      : operation_(operation) {
    place_.version().add(static_cast<uint64_t>(cudnn_version(call)));
    (add(call, descriptors), ...);
  }

  TuningProblem names() { return place_.name("cudnn", operation_, shape_.c_str()); }
  /// False where something could not be read: problems that differ might look the same.
  bool is_whole() const { return whole_ && !shape_.cut(); }

  /// Milliseconds that the algorithm would take on a device that there is not: the work and the memory that
  /// it moves, at round rates. Nothing is measured, so it is the same in every run and on every device; it is
  /// there to be compared: a larger problem takes longer, tensor cores less, a workspace is written and read,
  /// and tensor cores want channels last. 0 where the descriptors cannot be read. `output` is the tensor, the
  /// first or the second of the search's, on the convolution's far side.
  float estimate(const abi::cudnnConvolutionAlgoPerf& result, int output) const {
    if (!whole_ || tensors_ != 2) return 0;
    constexpr double operations_a_ms = 1e10, tensor_core_operations_a_ms = 1e11, bytes_a_ms = 1e9;
    const bool on_tensor_cores =
        result.math_type == 1 || result.math_type == 2; // TENSOR_OP_MATH, and …_ALLOW_…
    const double operations = 2 * elements_[output] * filter_volume_;
    double bytes = bytes_ + 2 * static_cast<double>(result.memory);
    if (on_tensor_cores) bytes += 2 * bytes_of_other_layout_;
    return static_cast<float>(operations / (on_tensor_cores ? tensor_core_operations_a_ms : operations_a_ms) +
                              bytes / bytes_a_ms);
  }

private:
  static constexpr int dimension_limit = 8; // CUDNN_DIM_MAX

  static double size_of(abi::cudnnDataType type) {
    switch (static_cast<int>(type)) { // cudnnDataType_t
    case 1:                           // DOUBLE
      return 8;
    case 2: // HALF
    case 9: // BFLOAT16
      return 2;
    case 3: // INT8
    case 5: // INT8x4, in elements
      return 1;
    default:
      return 4;
    }
  }

  template <typename Call>
  void add(const Call& call, abi::cudnnTensorDescriptor_t tensor) {
    using Get = abi::cudnnStatus(abi::cudnnTensorDescriptor_t, int, abi::cudnnDataType*, int*, int*, int*);
    abi::cudnnDataType type{};
    int count = 0, sizes[dimension_limit], strides[dimension_limit];
    Get* const get = find<Get>(call, "cudnnGetTensorNdDescriptor");
    if (!got(get != nullptr ? get(tensor, dimension_limit, &type, &count, sizes, strides) : missing)) return;
    double elements = 1;
    for (int i = 0; i < count && i < dimension_limit; ++i) elements *= sizes[i];
    bytes_ += elements * size_of(type);
    if (count > 1 && strides[1] != 1) bytes_of_other_layout_ += elements * size_of(type);
    if (tensors_ < 2) elements_[tensors_] = elements;
    ++tensors_;
    start("tensor");
    add(static_cast<int>(type));
    add_list("size", sizes, count);
    add_list("stride", strides, count);
  }

  template <typename Call>
  void add(const Call& call, abi::cudnnFilterDescriptor_t filter) {
    using Get = abi::cudnnStatus(abi::cudnnFilterDescriptor_t, int, abi::cudnnDataType*, int*, int*, int*);
    abi::cudnnDataType type{};
    int layout = 0, count = 0, sizes[dimension_limit];
    Get* const get = find<Get>(call, "cudnnGetFilterNdDescriptor");
    if (!got(get != nullptr ? get(filter, dimension_limit, &type, &layout, &count, sizes) : missing)) return;
    filter_volume_ = 1;
    for (int i = 1; i < count && i < dimension_limit; ++i) filter_volume_ *= sizes[i];
    if (count > 0) bytes_ += filter_volume_ * sizes[0] * size_of(type);
    start("filter");
    add(static_cast<int>(type));
    add_list("layout", &layout, 1);
    add_list("size", sizes, count);
  }

  template <typename Call>
  void add(const Call& call, abi::cudnnConvolutionDescriptor_t convolution) {
    using Get = abi::cudnnStatus(abi::cudnnConvolutionDescriptor_t, int, int*, int*, int*, int*, int*,
                                 abi::cudnnDataType*);
    using GetNumber = abi::cudnnStatus(abi::cudnnConvolutionDescriptor_t, int*);
    abi::cudnnDataType type{};
    int count = 0, mode = 0, pads[dimension_limit], strides[dimension_limit], dilations[dimension_limit];
    Get* const get = find<Get>(call, "cudnnGetConvolutionNdDescriptor");
    // It takes two dimensions less than a tensor has.
    if (!got(get != nullptr
                 ? get(convolution, dimension_limit - 2, &count, pads, strides, dilations, &mode, &type)
                 : missing))
      return;
    start("convolution");
    add(static_cast<int>(type));
    add_list("mode", &mode, 1);
    add_list("pad", pads, count);
    add_list("stride", strides, count);
    add_list("dilation", dilations, count);
    const struct {
      const char *function, *name;
    } numbers[] = {{"cudnnGetConvolutionMathType", "math"},
                   {"cudnnGetConvolutionGroupCount", "groups"},
                   {"cudnnGetConvolutionReorderType", "reorder"}};
    for (const auto& number : numbers) {
      int value = 0;
      GetNumber* const get_number = find<GetNumber>(call, number.function);
      // An old version has no such setting.
      if (get_number != nullptr && got(get_number(convolution, &value))) add_list(number.name, &value, 1);
    }
  }

  static constexpr auto missing = abi::cudnnStatus::not_supported;

  bool got(abi::cudnnStatus status) {
    whole_ = whole_ && status == abi::cudnnStatus::success;
    return status == abi::cudnnStatus::success;
  }

  /// A part of cuDNN that is used directly has some getters in a sister of its own.
  template <typename Function, typename Call>
  static Function* find(const Call& call, const char* name) {
    if (Function* const beside = call.template beside<Function>(name)) return beside;
    return reinterpret_cast<Function*>(const_cast<void*>(find_symbol(name)));
  }

  void start(const char* name) {
    if (shape_.length() != 0) shape_.add(' ');
    shape_.add(name);
  }
  void add(int number) {
    shape_.add(' ');
    if (number < 0) shape_.add('-');
    shape_.add(static_cast<uint64_t>(number < 0 ? -static_cast<int64_t>(number) : number));
  }
  void add_list(const char* name, const int* numbers, int count) {
    shape_.add(' ').add(name);
    for (int i = 0; i < count && i < dimension_limit; ++i) add(numbers[i]);
  }

  const char* operation_;
  TuningPlace place_;
  Text<1500> shape_;
  bool whole_ = true;
  int tensors_ = 0;
  double elements_[2] = {};
  double filter_volume_ = 0; ///< additions and products for one element on the far side
  double bytes_ = 0;
  double bytes_of_other_layout_ = 0; ///< of tensors whose channels do not come last
};

/// The order in which a timed search ranked the deterministic algorithms: "algo 1 math 0, algo 6 math 1".
class KeptOrder {
public:
  void add(const abi::cudnnConvolutionAlgoPerf& result) {
    if (text_.length() != 0) text_.add(", ");
    add_name(text_, result);
  }
  const char* text() { return text_.c_str(); }
  bool is_whole() const { return !text_.cut(); }

  /// Reads what is kept for the problem; false if nothing is.
  bool find(ConvolutionProblem& problem) {
    char kept[tuning_choice_size];
    if (!find_tuning(problem.names(), kept, sizeof kept)) return false;
    text_.clear();
    text_.add(kept);
    return true;
  }

  /// Puts the results in the kept order and leaves out the others. The number that stays.
  int sort(abi::cudnnConvolutionAlgoPerf* results, int count) {
    int sorted = 0;
    for (const char* at = text(); *at != 0;) {
      int found = -1;
      for (int i = sorted; i < count && found < 0; ++i) {
        Text<40> name;
        add_name(name, results[i]);
        const char* const rest = after(at, name.c_str());
        if (rest != nullptr && (*rest == 0 || *rest == ',')) found = i;
      }
      if (found >= 0) {
        const abi::cudnnConvolutionAlgoPerf moved = results[found];
        for (int i = found; i > sorted; --i) results[i] = results[i - 1];
        results[sorted++] = moved;
      }
      while (*at != 0 && *at != ',') ++at;
      while (*at == ',' || *at == ' ') ++at;
    }
    return sorted;
  }

private:
  static void add_name(TextWriter& text, const abi::cudnnConvolutionAlgoPerf& result) {
    text.add("algo ").add(static_cast<uint64_t>(result.algo));
    text.add(" math ").add(static_cast<uint64_t>(result.math_type));
  }
  /// What follows `start` in the text; nullptr if the text does not begin so.
  static const char* after(const char* text, const char* start) {
    for (; *start != 0; ++text, ++start)
      if (*text != *start) return nullptr;
    return text;
  }

  Text<tuning_choice_size> text_;
};

} // namespace detshim::cudnn
