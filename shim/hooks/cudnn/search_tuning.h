// How a convolution of cuDNN's legacy API is named in the tuning file (docs/TUNING_FILE.md), and how a
// search's answer is kept there.
#pragma once

#include "core/tuning.h"
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

private:
  static constexpr int dimension_limit = 8; // CUDNN_DIM_MAX

  template <typename Call>
  void add(const Call& call, abi::cudnnTensorDescriptor_t tensor) {
    using Get = abi::cudnnStatus(abi::cudnnTensorDescriptor_t, int, abi::cudnnDataType*, int*, int*, int*);
    abi::cudnnDataType type{};
    int count = 0, sizes[dimension_limit], strides[dimension_limit];
    Get* const get = find<Get>(call, "cudnnGetTensorNdDescriptor");
    if (!got(get != nullptr ? get(tensor, dimension_limit, &type, &count, sizes, strides) : missing)) return;
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
