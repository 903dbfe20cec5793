#include "hooks/cublas/lt_problem.h"

#include "core/base/hash.h"
#include "hooks/digests/cublas/lt_product.h"
#include "hooks/support/functions.h"

namespace detshim {

using namespace abi;

namespace {

/// Appends the attributes, "-" for one that is not known, and those of the later ones that are not
/// as usual.
template <size_t Count, size_t LaterCount>
void add_attributes(TextWriter& text, const LtDescriptor& descriptor,
                    const cublasLtAttribute (&attributes)[Count],
                    const cublasLtLaterAttribute (&later)[LaterCount]) {
  uint64_t value; // little-endian, as both architectures that this is built for
  const auto ask = [&](const auto& attribute) {
    value = 0;
    return descriptor.ask(attribute.number, &value, attribute.size);
  };
  for (const cublasLtAttribute& attribute : attributes) {
    text.add(' ');
    if (ask(attribute))
      text.add_hex(value);
    else
      text.add('-');
  }
  for (const cublasLtLaterAttribute& attribute : later)
    if (ask(attribute) && value != attribute.usual)
      text.add(' ').add(uint64_t(attribute.number)).add('=').add_hex(value);
}

} // namespace

LtProblem::LtProblem(const Hook& hook, const LtProduct& product) {
  add_version(hook, place_.version());
  text_.add("product");
  add_attributes(text_, {hook, product.operation}, cublaslt_matmul_attributes,
                 cublaslt_later_matmul_attributes);
  const struct {
    const char* name;
    cublasLtMatrixLayout_t layout;
  } matrices[] = {{" A", product.a}, {" B", product.b}, {" C", product.c}, {" D", product.d}};
  for (const auto& matrix : matrices) {
    text_.add(matrix.name);
    add_attributes(text_, {hook, matrix.layout}, cublaslt_layout_attributes,
                   cublaslt_later_layout_attributes);
  }
}

uint64_t LtProblem::hash() {
  const uint64_t device = fnv1a(names().device, text_length(names().device));
  return fnv1a(text_.c_str(), text_.length(), device);
}

void add_algorithm(TextWriter& text, const cublasLtMatmulAlgo& algorithm) {
  for (const uint64_t word : algorithm.data)
    text.add_hex(word, 16).add(' ');
}

uint64_t key_of(const cublasLtMatmulAlgo& algorithm) { return fnv1a(&algorithm, sizeof algorithm); }

const char* reduction_of(const Hook& hook, const cublasLtMatmulAlgo& algorithm) {
  static constexpr const char* names[] = {"none", "in place", "compute type", "", "output type"};
  static constinit SiblingFunction<cublasStatus(const cublasLtMatmulAlgo*, int, void*, size_t,
                                                size_t*)>
      get_config("cublasLtMatmulAlgoConfigGetAttribute");
  // By the algorithm: to ask the library at each product would be dear.
  constexpr size_t known_limit = 256;
  static constinit uint64_t known[known_limit] =
      {}; // an algorithm's key, its last bits the scheme + 1
  const uint64_t key = key_of(algorithm) & ~uint64_t{15};
  uint64_t& slot = known[(key >> 4) % known_limit];
  uint64_t entry = __atomic_load_n(&slot, __ATOMIC_RELAXED);
  if (entry == 0 || (entry & ~uint64_t{15}) != key) {
    uint32_t scheme = 0;
    size_t written = 0;
    const bool is_known = get_config.succeeds(hook, &algorithm, cublaslt_config_reduction_scheme,
                                              static_cast<void*>(&scheme), sizeof scheme, &written);
    entry = key | (is_known && scheme <= 4 ? scheme + 1 : 4);
    __atomic_store_n(&slot, entry, __ATOMIC_RELAXED);
  }
  return names[(entry & 15) - 1];
}

} // namespace detshim
