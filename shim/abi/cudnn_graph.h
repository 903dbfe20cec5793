// What attributes of cuDNN's operations, tensors and variant packs mean: cudnn_graph.h of
// cuDNN 9.19. tests/abi holds it to the real header.
#pragma once

#include <cstdint>

namespace detshim::cudnn {

/// What becomes of the descriptors that an attribute of an operation holds.
enum class Use : uint8_t {
  unknown,
  none,     // no tensor: a description of the operation
  reads,    // a tensor
  writes,   // a tensor
  lengths,  // reads a tensor that says how much of the others there is
  statistic // reads or writes it, as the phase of a normalisation says
};

struct Attributes {
  int first, last;
  Use use;
};
inline constexpr Attributes known_attributes[] = {
    {702, 702, Use::none},     {703, 704, Use::reads},
    {705, 705, Use::writes}, // convolution forward
    {708, 708, Use::none},     {709, 709, Use::reads},
    {710, 710, Use::writes},   {711, 711, Use::reads},
    {714, 714, Use::none},     {715, 715, Use::writes},
    {716, 717, Use::reads}, // its gradients
    {750, 750, Use::none},     {751, 752, Use::reads},
    {753, 753, Use::writes},   {756, 756, Use::writes},
    {757, 758, Use::reads},                             // pointwise
    {772, 772, Use::reads},    {773, 774, Use::writes}, // statistics
    {782, 787, Use::reads},    {788, 793, Use::writes},
    {794, 796, Use::reads}, // batch norm finalize
    {1520, 1521, Use::reads},  {1522, 1522, Use::writes},
    {1523, 1523, Use::none},   {1525, 1527, Use::lengths}, // matmul
    {1610, 1610, Use::reads},  {1611, 1611, Use::writes},
    {1612, 1612, Use::none},                              // reduction
    {1621, 1625, Use::reads},  {1626, 1630, Use::writes}, // batch norm backward
    {1710, 1710, Use::reads},  {1711, 1712, Use::writes},
    {1716, 1716, Use::none}, // resample
    {1720, 1720, Use::writes}, {1721, 1722, Use::reads},
    {1725, 1725, Use::none},   {1726, 1727, Use::reads},
    {1801, 1801, Use::reads},  {1803, 1803, Use::writes}, // concatenate
    {2002, 2002, Use::reads},  {2003, 2004, Use::statistic},
    {2005, 2010, Use::reads},  {2011, 2013, Use::writes}, // norm forward
    {2101, 2106, Use::reads},  {2107, 2109, Use::writes}, // norm backward
    {2200, 2200, Use::reads},  {2201, 2201, Use::writes}, // reshape
    {2310, 2310, Use::writes}, {2311, 2311, Use::reads},
    {2312, 2312, Use::none},   {2313, 2313, Use::reads},  // random
    {2500, 2500, Use::reads},  {2501, 2502, Use::writes}, // quantize
    {2600, 2601, Use::reads},  {2602, 2602, Use::writes}, // dequantize
    {2800, 2802, Use::reads},  {2803, 2804, Use::writes},
    {2805, 2806, Use::reads},  {2807, 2810, Use::lengths}, // attention forward
    {2851, 2856, Use::reads},  {2857, 2858, Use::lengths},
    {2859, 2861, Use::writes}, {2862, 2862, Use::reads},
};

constexpr Use use_of(int attribute) {
  for (const Attributes& attributes : known_attributes)
    if (attribute >= attributes.first && attribute <= attributes.last)
      return attributes.use;
  return Use::unknown;
}

inline constexpr int pointwise_y = 753, pointwise_dx = 756, norm_phase = 2001,
                     norm_phase_training = 1;
inline constexpr int first_of_tensor = 900, tensor_alignment = 900, tensor_data_type = 901,
                     tensor_dimensions = 902, tensor_strides = 903, tensor_vector_count = 904,
                     tensor_vectorized_dimension = 905, tensor_unique_id = 906,
                     tensor_is_virtual = 907, tensor_is_by_value = 908, tensor_reordering = 909;
inline constexpr int first_of_pack = 1000, pack_ids = 1000, pack_pointers = 1001,
                     pack_intermediates = 1002, pack_workspace = 1003, behind_pack = 1100;

/// Scales of what was there before, of convolutions.
constexpr bool is_beta(int name) { return name == 701 || name == 707 || name == 713; }

inline constexpr int graph_handle = 800;

/// Attributes whose values are descriptors and that no operation has.
constexpr bool is_of_no_operation(int name) {
  return (name >= 200 && name < 700) || (name >= 800 && name < 1500);
}

/// Operations by their attributes.
struct OperationName {
  int first, last;
  char name[28];
};
inline constexpr OperationName operation_names[] = {{700, 705, "convolution_forward"},
                                                    {706, 711, "convolution_backward_data"},
                                                    {712, 717, "convolution_backward_filter"},
                                                    {750, 758, "pointwise"},
                                                    {770, 774, "statistics"},
                                                    {780, 796, "batch_norm_finalize"},
                                                    {1520, 1527, "matmul"},
                                                    {1610, 1612, "reduction"},
                                                    {1620, 1630, "batch_norm_backward"},
                                                    {1710, 1716, "resample_forward"},
                                                    {1720, 1727, "resample_backward"},
                                                    {1800, 1803, "concatenate"},
                                                    {2000, 2014, "norm_forward"},
                                                    {2100, 2110, "norm_backward"},
                                                    {2200, 2201, "reshape"},
                                                    {2310, 2313, "random"},
                                                    {2800, 2810, "attention_forward"},
                                                    {2851, 2862, "attention_backward"}};

/// "convolution_forward", for an attribute of one; nullptr for what is no operation's.
constexpr const char* operation_name(int attribute) {
  for (const OperationName& operation : operation_names)
    if (attribute >= operation.first && attribute <= operation.last)
      return operation.name;
  return nullptr;
}

} // namespace detshim::cudnn
