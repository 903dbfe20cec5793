// What cuDNN's operation graphs read and write, for DETSHIM_FINGERPRINT=calls: put together from what
// programs set in backend descriptors, since the library gives back neither what an operation was given nor
// what a variant pack holds (seen with cuDNN 9.19). Nothing is followed without that option.
//
// A tensor that some operation writes and that is not virtual is an output; one that operations only read is
// an input. Whatever is not known of an operation or a tensor makes the graph's outputs unread.
#pragma once

#include "common/reasons.h"
#include "hooks/cudnn/backend.h"

namespace detshim::cudnn {

/// A tensor as its descriptor says.
struct TensorNote {
  static constexpr int most_dimensions = 8;

  int64_t id = 0; ///< CUDNN_ATTR_TENSOR_UNIQUE_ID
  int64_t sizes[most_dimensions] = {};
  int64_t strides[most_dimensions] = {}; ///< in elements
  int type_and_1 = 0; ///< cudnnDataType_t, and 1: tables that are not all zero fill the file
  int8_t dimensions = 0, stride_count = 0;
  bool has_id = false;
  bool is_virtual = false;  ///< it has no memory
  bool is_by_value = false; ///< a number of the host
  /// Vectors of elements, another order in memory, offsets of sequences, what this version does not know.
  bool is_unknown = false;

  /// cudnnDataType_t; -1 where it was not said.
  int type() const { return type_and_1 - 1; }
};

/// Follows an attribute that a program has set in a tensor, an operation or a variant pack.
void follow_operands(const void* descriptor, Name name, Type type, int64_t count, const void* elements);
/// The descriptor is about to be destroyed.
void forget_operands(const void* descriptor);

/// Keeps what the operations read and write under the graph's number (hooks/cudnn/plans.h).
void keep_operands(uint32_t graph, const Descriptor* operations, int64_t count);

/// What becomes of a tensor when its graph runs. What is written is an output, whoever reads it then.
enum class Role : uint8_t { read, written, changed };

/// A graph's tensors that have memory, with their data as the variant pack says.
class GraphOperands {
public:
  static constexpr int most = 18;
  static constexpr size_t names_size = 64;

  /// `graph`: its number, 0 where that is not known.
  GraphOperands(uint32_t graph, const void* variant_pack);

  struct Operand {
    TensorNote tensor;
    Role role;
    const void* data;
  };

  int count() const { return count_; }
  const Operand& operator[](int i) const { return operands_[i]; }
  /// None, or why what comes out cannot be told.
  Reason why_unknown() const { return why_; }
  /// Whether all that goes in is among the operands.
  bool has_inputs() const { return has_inputs_; }
  /// "convolution_forward+pointwise", cut where it is long.
  const char* names() const { return names_; }

private:
  Operand operands_[most];
  int count_ = 0;
  bool has_inputs_ = true;
  Reason why_ = Reason::none;
  char names_[names_size] = {};
};

} // namespace detshim::cudnn
