// cuBLASLt: a program that asks for several algorithms wants to time them. It is given one, or, with
// DETSHIM_AUTOTUNE=record:FILE and replay:FILE, its own choice of an earlier run.
//
// One that puts algorithms together by itself (NVIDIA's LtMatmulCustomFind) lists their numbers, configures
// hundreds of them, and times those that cublasLtMatmulAlgoCheck takes. Which of these serves is known only
// when it runs, so nothing is left out of its lists: the first of them that runs for a product runs in the
// place of the others, and what it times are equals.
#include "abi/cublaslt.h"
#include "core/base/hash.h"
#include "core/base/lock.h"
#include "core/base/mapped.h"
#include "core/base/table.h"
#include "core/tuning/tuning.h"
#include "hooks/cublas/outputs.h"
#include "hooks/cublas/variables.h"
#include "hooks/support/library_version.h"
#include "hooks/support/tuning_place.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;
using Result = cublasLtMatmulHeuristicResult;
using Algo = cublasLtMatmulAlgo;

// ---- what goes in and what comes out, for DETSHIM_FINGERPRINT=calls ----

/// The number that an attribute has; false if it cannot be told.
template <typename Number, typename Get, typename Descriptor>
bool ask(Get* get, Descriptor descriptor, int attribute, Number& number) {
  size_t written = 0;
  return get != nullptr && descriptor != nullptr &&
         get(descriptor, attribute, &number, sizeof number, &written) == cublasStatus::success;
}

/// The matrices of a layout; empty where it is not one by rows or by columns.
template <typename Get>
HashedArea area_of_layout(Get* get, cublasLtMatrixLayout_t layout, const void* start, uint32_t& type,
                          int64_t& leading) {
  int order = 0, batches = 1;
  uint64_t rows = 0, columns = 0;
  int64_t step = 0;
  int64_t plane = 0; // of imaginary parts, behind the real ones
  uint32_t mode = 0;
  constexpr int by_columns = 0, by_rows = 1;        // CUBLASLT_ORDER_COL and CUBLASLT_ORDER_ROW
  constexpr uint32_t in_steps = 0, by_pointers = 1; // CUBLASLT_BATCH_MODE_STRIDED and _POINTER_ARRAY
  if (!ask(get, layout, 0, type) || !ask(get, layout, 1, order) || !ask(get, layout, 2, rows) ||
      !ask(get, layout, 3, columns) || !ask(get, layout, 4, leading) || !ask(get, layout, 5, batches) ||
      !ask(get, layout, 6, step) || (order != by_columns && order != by_rows))
    return {};
  if ((ask(get, layout, 7, plane) && plane != 0) ||
      (ask(get, layout, 8, mode) && mode != in_steps && mode != by_pointers)) // older libraries have no modes
    return {};
  const auto* const pointers = mode == by_pointers ? static_cast<const void* const*>(start) : nullptr;
  const auto signed_of = [](uint64_t number) { return static_cast<int64_t>(number); };
  return area_of({start, size_of_type(static_cast<cudaDataType>(type)), leading, step, pointers},
                 signed_of(order == by_columns ? rows : columns),
                 signed_of(order == by_columns ? columns : rows), batches);
}

/// The matrices of D, as an epilogue sees them.
struct EpilogueTarget {
  uint64_t rows = 0, columns = 0;
  uint32_t type = 0;
  int order = 0, batches = 1;
  uint32_t batch_mode = 0;
};

/// A vector of numbers for each matrix of a batch, or one for all of them; empty where that is not known.
template <typename Get>
HashedArea vector_of_epilogue(Get* get, cublasLtMatmulDesc_t operation, const EpilogueTarget& target,
                              uint64_t length) {
  const void* start = nullptr;
  int type = -1;
  int64_t step = 0;
  ask(get, operation, cublaslt_epilogue_vector_type, type); // older libraries know of no other than D's
  const uint64_t size =
      size_of_type(static_cast<cudaDataType>(type >= 0 ? static_cast<uint32_t>(type) : target.type));
  if (!ask(get, operation, cublaslt_epilogue_vector, start) || size < 2) return {};
  const HashedArea one = bytes_at(start, length * size);
  if (target.batches <= 1) return one;
  if (!ask(get, operation, cublaslt_epilogue_vector_step, step) || step < 0 || target.batch_mode != 0)
    return {};
  if (step == 0) return one;
  return batch_of(one, static_cast<uint64_t>(target.batches), static_cast<uint64_t>(step) * size);
}

/// The epilogue's own matrix: a bit for each element of D, or a number; empty where that is not known. Bits
/// of a column that are no whole byte are left out, since the rest of it may be anybody's.
template <typename Get>
HashedArea matrix_of_epilogue(Get* get, cublasLtMatmulDesc_t operation, const EpilogueTarget& target,
                              bool is_bits) {
  const void* start = nullptr;
  int type = -1;
  int64_t leading = 0, step = 0;
  ask(get, operation, cublaslt_epilogue_matrix_type, type);
  const uint64_t size =
      size_of_type(static_cast<cudaDataType>(type >= 0 ? static_cast<uint32_t>(type) : target.type));
  const auto bytes = [&](int64_t elements) {
    return is_bits ? static_cast<uint64_t>(elements) / 8 : static_cast<uint64_t>(elements) * size;
  };
  if (!ask(get, operation, cublaslt_epilogue_matrix, start) ||
      !ask(get, operation, cublaslt_epilogue_matrix_leading, leading) || target.order != 0 ||
      leading < static_cast<int64_t>(target.rows) || (!is_bits && size == 0))
    return {};
  const HashedArea one =
      rows_at(start, bytes(static_cast<int64_t>(target.rows)), target.columns, bytes(leading));
  if (target.batches <= 1) return one;
  if (!ask(get, operation, cublaslt_epilogue_matrix_step, step) || step <= 0 || target.batch_mode != 0)
    return {};
  return batch_of(one, static_cast<uint64_t>(target.batches), bytes(step));
}

/// Adds what a product reads besides A, B and C, and what it writes besides D.
template <typename Get>
void add_epilogue(CallOutputs& outputs, Get* get, cublasLtMatmulDesc_t operation,
                  const EpilogueTarget& target) {
  constexpr Reason why = Reason::outputs_unknown;
  uint32_t epilogue = 0;
  if (!ask(get, operation, cublaslt_epilogue, epilogue) || epilogue == 0) return outputs.leave_inputs();
  if ((epilogue & ~epilogues_known) != 0) return outputs.leave_inputs(), outputs.leave_outputs(why);
  if ((epilogue &
       (epilogue_bias | epilogue_bias_gradient | epilogue_gradient_by_a | epilogue_gradient_by_b)) != 0) {
    const HashedArea vector = vector_of_epilogue(
        get, operation, target, (epilogue & epilogue_gradient_by_b) != 0 ? target.columns : target.rows);
    if ((epilogue & epilogue_bias) == 0) {
      if (vector.width == 0) outputs.leave_outputs(why);
      outputs.add_output(vector);
    } else {
      if (vector.width == 0) outputs.leave_inputs();
      outputs.add_input(vector);
    }
  }
  if ((epilogue & epilogue_matrix) != 0) {
    const bool is_bits = (epilogue & (epilogue_relu | epilogue_relu_backward)) != 0;
    const HashedArea area = matrix_of_epilogue(get, operation, target, is_bits);
    const bool is_small = is_bits && target.rows < 8 && target.order == 0; // all of it shows in D
    if ((epilogue & (epilogue_relu_backward | epilogue_gelu_backward)) == 0) {
      if (area.width == 0 && !is_small) outputs.leave_outputs(why);
      outputs.add_output(area);
    } else {
      // Of bits the last few of each column may be left out.
      if (area.width == 0 || (is_bits && target.rows % 8 != 0)) outputs.leave_inputs();
      outputs.add_input(area);
    }
  }
  for (const int largest :
       {cublaslt_largest_of_d,
        cublaslt_largest_of_epilogue_matrix}) { // of D and of the epilogue's matrix, a float each
    const void* start = nullptr;
    if (ask(get, operation, largest, start) && start != nullptr)
      outputs.add_output(bytes_at(start, sizeof(float)));
  }
  for (const int scale :
       {17, 18, 19, 20,
        int{cublaslt_epilogue_matrix_scale}}) { // of A, B, C, D and the matrix; older libraries know none
    const void* start = nullptr;
    if (ask(get, operation, scale, start) && start != nullptr) outputs.leave_inputs();
  }
}

template <typename Get>
void add_operands(CallOutputs& outputs, Get* of_layout, Get* of_operation, cublasLtMatmulDesc_t operation,
                  const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                  cublasLtMatrixLayout_t b_layout, const void* alpha, const void* beta, const void* c,
                  cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout) {
  uint32_t type = 0, scale_type = 0;
  int64_t leading = 0;
  const auto shape = [&](const char* name, int64_t value) {
    outputs.add_shape(name, static_cast<uint64_t>(value));
  };
  const HashedArea result = area_of_layout(of_layout, d_layout, d, type, leading);
  uint64_t inner = 0;
  int transposed = 0, pointer_mode = -1;
  EpilogueTarget target;
  ask(of_layout, d_layout, 1, target.order), ask(of_layout, d_layout, 2, target.rows);
  ask(of_layout, d_layout, 3, target.columns), ask(of_layout, d_layout, 5, target.batches);
  ask(of_layout, d_layout, 8, target.batch_mode);
  ask(of_operation, operation, 3, transposed);
  ask(of_layout, a_layout, transposed != 0 ? 2 : 3, inner);
  target.type = type;
  outputs.add_shape("m", target.rows);
  outputs.add_shape("n", target.columns);
  outputs.add_shape("k", inner);
  outputs.add_shape("type", type);
  shape("ldd", leading);
  constexpr struct {
    int attribute; // of cublasLtMatmulDescAttributes_t
    const char* name;
  } told[] = {{3, "ta"}, {4, "tb"}, {0, "compute"}, {cublaslt_epilogue, "epilogue"}};
  for (const auto& [attribute, name] : told) {
    uint32_t value = 0;
    if (ask(of_operation, operation, attribute, value)) outputs.add_shape(name, uint64_t{value});
  }
  if (result.width == 0) outputs.leave_outputs(Reason::layout_unknown);
  const void* scales = nullptr; // CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, since CUDA 12.8
  if (ask(of_operation, operation, 36, scales) && scales != nullptr)
    outputs.leave_outputs(Reason::scales_unknown);

  uint32_t input_type = 0;
  const auto add_input = [&](const void* start, cublasLtMatrixLayout_t layout) {
    const HashedArea area = area_of_layout(of_layout, layout, start, input_type, leading);
    if (area.width == 0) outputs.leave_inputs();
    outputs.add_input(area);
  };
  // C first: where it is D too, it is hashed before.
  unsigned char bytes[16] = {};
  ask(of_operation, operation, 2, pointer_mode);
  ask(of_operation, operation, 1, scale_type);
  const uint64_t size = size_of_type(static_cast<cudaDataType>(scale_type));
  if (pointer_mode != 0 || alpha == nullptr || beta == nullptr || size == 0 || size > sizeof bytes) {
    outputs.leave_inputs();
  } else {
    outputs.add_number(alpha, size);
    outputs.add_number(beta, size);
    __builtin_memcpy(bytes, beta, size);
    bool is_zero = true;
    for (const unsigned char byte : bytes) is_zero &= byte == 0;
    if (!is_zero && c == d)
      outputs.add_changed(result);
    else if (!is_zero)
      add_input(c, c_layout);
  }
  add_input(a, a_layout);
  add_input(b, b_layout);
  add_epilogue(outputs, of_operation, operation, target);
  outputs.add_output(result);
}

/// An algorithm's bytes as text.
void add_algo(TextWriter& text, const Algo& algo) {
  for (const uint64_t word : algo.data) text.add_hex(word, 16).add(' ');
}

// ---- which product it is ----

/// The descriptors of one product.
struct Product {
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t a, b, c, d;
};

using GetAttribute = cublasStatus(const void*, int, void*, size_t, size_t*);

/// What a problem is read by. Looked up once: walking through hundreds of loaded objects at each product
/// would take longer than a small product, and a program that times its candidates would see nothing else.
struct Getters {
  const void* real = nullptr; ///< the hooked function that they stand beside
  uint32_t epoch = 0;
  GetAttribute* of_operation = nullptr;
  GetAttribute* of_layout = nullptr;
  DeviceNamer device;
  char version[32] = {};
};

/// False if something is not there yet.
template <typename Call>
bool find_getters(const Call& call, Getters& getters) {
  getters.real = call.hook().real;
  getters.epoch = draw_epoch();
  getters.of_operation = call.template beside<GetAttribute>("cublasLtMatmulDescGetAttribute");
  getters.of_layout = call.template beside<GetAttribute>("cublasLtMatrixLayoutGetAttribute");
  TextWriter version(getters.version, sizeof getters.version);
  add_version(call.hook(), cublaslt_library, version);
  version.c_str();
  return getters.device.find();
}

constinit Getters known_getters[2] = {}; // of the list and of the product
constinit uint64_t getters_lock = 0;

/// The getters for a hook's call: a copy, which another thread does not change.
template <typename Call>
Getters getters_of(const Call& call) {
  Getters getters;
  {
    Lock guard(getters_lock);
    for (const Getters& known : known_getters)
      if (known.real == call.hook().real && known.epoch == draw_epoch()) return known;
  }
  if (!find_getters(call, getters)) return getters;
  Lock guard(getters_lock);
  if (!guard.held()) return getters;
  // The place of the same function, of an epoch that is over, or the second.
  Getters* place = &known_getters[1];
  for (Getters& known : known_getters)
    if (known.real == nullptr || known.real == getters.real) {
      place = &known;
      break;
    }
  *place = getters;
  return getters;
}

/// Appends a descriptor's attributes; "-" for one that the library's version does not know.
template <size_t Count>
void add_attributes(GetAttribute* get, const void* descriptor, const cublasLtAttribute (&attributes)[Count],
                    TextWriter& text) {
  for (const cublasLtAttribute& attribute : attributes) {
    uint64_t value = 0; // little-endian, as both architectures that this is built for
    size_t written = 0;
    text.add(' ');
    if (descriptor == nullptr || get == nullptr ||
        get(descriptor, attribute.number, &value, attribute.size, &written) != cublasStatus::success)
      text.add('-');
    else
      text.add_hex(value);
  }
}

/// Appends those of the later attributes that are not as usual.
template <size_t Count>
void add_later_attributes(GetAttribute* get, const void* descriptor,
                          const cublasLtLaterAttribute (&attributes)[Count], TextWriter& text) {
  if (descriptor == nullptr || get == nullptr) return;
  for (const cublasLtLaterAttribute& attribute : attributes) {
    uint64_t value = 0;
    size_t written = 0;
    if (get(descriptor, attribute.number, &value, attribute.size, &written) == cublasStatus::success &&
        value != attribute.usual)
      text.add(' ').add(uint64_t(attribute.number)).add('=').add_hex(value);
  }
}

/// A product as the tuning file names it.
class Problem {
public:
  Problem(const Getters& getters, const Product& product) : place_(getters.device) {
    place_.version().add(getters.version);
    text_.add("product");
    add_attributes(getters.of_operation, product.operation, cublaslt_matmul_attributes, text_);
    add_later_attributes(getters.of_operation, product.operation, cublaslt_later_matmul_attributes, text_);
    const struct {
      const char* name;
      cublasLtMatrixLayout_t layout;
    } matrices[] = {{" A", product.a}, {" B", product.b}, {" C", product.c}, {" D", product.d}};
    for (const auto& matrix : matrices) {
      text_.add(matrix.name);
      add_attributes(getters.of_layout, matrix.layout, cublaslt_layout_attributes, text_);
      add_later_attributes(getters.of_layout, matrix.layout, cublaslt_later_layout_attributes, text_);
    }
  }

  TuningProblem names() { return place_.name("cublaslt", "matmul", text_.c_str()); }
  uint64_t hash() {
    const uint64_t device = fnv1a(names().device, text_length(names().device));
    return fnv1a(text_.c_str(), text_.length(), device);
  }

private:
  TuningPlace place_;
  Text<1600> text_;
};

// ---- what was listed, and what of it is used: for DETSHIM_AUTOTUNE=record ----

constinit Table<4> listed = {}; // (problem, algorithm) -> its workspace + 1
constinit Table<4> latest = {}; // problem -> the algorithm used last
constinit uint64_t lock = 0;
constinit bool any_listed = false;

void remember_list(Problem& problem, const Result* results, int count) {
  const uint64_t key = problem.hash();
  Lock guard(lock);
  if (!guard.held()) return;
  for (int i = 0; i < count; ++i)
    if (results[i].state == cublasStatus::success)
      listed.insert(fnv1a(&results[i].algo, sizeof(Algo), key)) = results[i].workspace_size + 1;
  __atomic_store_n(&any_listed, true, __ATOMIC_RELAXED);
}

/// Keeps an algorithm that was in the product's list and is executed now. The last one that a program
/// executes is what it has chosen.
template <typename Call>
void keep_used(const Call& call, const Product& product, const Algo& algo) {
  if (!__atomic_load_n(&any_listed, __ATOMIC_RELAXED)) return;
  Problem problem(getters_of(call), product);
  const uint64_t key = problem.hash();
  const uint64_t algo_key = fnv1a(&algo, sizeof algo, key);
  uint64_t workspace = 0;
  {
    Lock guard(lock);
    if (!guard.held()) return;
    const uint64_t* known = listed.find(algo_key);
    if (known == nullptr) return;
    workspace = *known - 1;
    uint64_t& before = latest.insert(key);
    const bool is_same = before == algo_key;
    before = algo_key;
    if (is_same) return flush_tuning_if_due();
  }
  Text<tuning_choice_size> choice;
  add_algo(choice, algo);
  choice.add("workspace ").add(workspace); // for a person to read
  if (!keep_tuning(problem.names(), choice.c_str()))
    call.record(Action::unfixed, Reason::tuning_cannot_keep, {"", ""});
}

// ---- algorithms that the program configures ----

constinit Table<4> configured = {}; // by the bytes of the algorithm
constinit bool any_configured = false;

uint64_t key_of(const Algo& algo) { return fnv1a(&algo, sizeof algo); }

void remember_configured(const Algo& algo) {
  Lock guard(lock);
  if (!guard.held()) return;
  configured.insert(key_of(algo)) = 1;
  __atomic_store_n(&any_configured, true, __ATOMIC_RELAXED);
}

bool is_configured(const Algo& algo) {
  if (!__atomic_load_n(&any_configured, __ATOMIC_RELAXED)) return false;
  Lock guard(lock);
  return guard.held() && configured.find(key_of(algo)) != nullptr;
}

/// The algorithm that serves a product of a thread: the first that ran there. By thread, or which is first
/// would be a race.
struct Taken {
  uint64_t product;
  Algo algo;
};
constexpr size_t taken_limit = 1024;
constinit Mapped<Taken[taken_limit]> taken;

Taken* place_of(uint64_t product) {
  auto* const all = taken.get();
  for (size_t i = 0; i < 16 && all != nullptr; ++i) {
    Taken& place = (*all)[(product + i) % taken_limit];
    if (place.product == product || place.product == 0) return &place;
  }
  return nullptr;
}

/// False if none was taken, or if it is this very one.
bool find_other_taken(uint64_t product, const Algo& asked, Algo& first) {
  Lock guard(lock);
  const Taken* const place = guard.held() ? place_of(product) : nullptr;
  if (place == nullptr || place->product == 0) return false;
  first = place->algo;
  return key_of(first) != key_of(asked);
}

/// False where there is no room.
bool take(uint64_t product, const Algo& algo) {
  Lock guard(lock);
  Taken* const place = guard.held() ? place_of(product) : nullptr;
  if (place == nullptr) return false;
  if (place->product == 0) *place = {product, algo};
  return true;
}

/// Whether algorithms are kept from being chosen by their times.
bool takes_the_first() {
  const Autotune tuning = autotune();
  return tuning == Autotune::first || tuning == Autotune::replay;
}

/// Whether the library did not take the arguments, so that nothing was launched.
bool is_refusal(cublasStatus status) {
  return status == cublasStatus::invalid_value || status == cublasStatus::arch_mismatch ||
         status == cublasStatus::not_supported;
}

/// What tells an algorithm from others in the log.
class Fingerprint {
public:
  explicit Fingerprint(const Algo& algo) { text_.add_hex(key_of(algo), 16); }
  const char* c_str() { return text_.c_str(); }

private:
  Text<24> text_;
};

/// How an algorithm adds up the parts of a product that it computes beside each other ("split-K",
/// cublasLtReductionScheme_t), as text. By the algorithm: to ask the library at each product would be dear.
template <typename Call>
const char* reduction_of(const Call& call, const Algo& algo) {
  static constexpr const char* names[] = {"none", "in place", "compute type", "", "output type"};
  constexpr size_t known_limit = 256;
  static constinit uint64_t known[known_limit] = {}; // an algorithm's key, its last bits the scheme + 1
  const uint64_t key = key_of(algo) & ~uint64_t{15};
  uint64_t& place = known[(key >> 4) % known_limit];
  uint64_t entry = __atomic_load_n(&place, __ATOMIC_RELAXED);
  if (entry == 0 || (entry & ~uint64_t{15}) != key) {
    using GetConfig = cublasStatus(const Algo*, int, void*, size_t, size_t*);
    auto* const get = call.template beside<GetConfig>("cublasLtMatmulAlgoConfigGetAttribute");
    uint32_t scheme = 0;
    size_t written = 0;
    const bool is_told = get != nullptr && get(&algo, cublaslt_config_reduction_scheme, &scheme,
                                               sizeof scheme, &written) == cublasStatus::success;
    entry = key | (is_told && scheme <= 4 ? scheme + 1 : 4);
    __atomic_store_n(&place, entry, __ATOMIC_RELAXED);
  }
  return names[(entry & 15) - 1];
}

/// Runs a product with an algorithm that the program has configured. `run(algorithm)` calls the library.
template <typename Call, typename Run>
cublasStatus run_configured(const Call& call, const Product& product, const Algo& asked, size_t workspace,
                            Run run) {
  Problem problem(getters_of(call), product);
  const uint64_t key = (problem.hash() ^ this_thread().key) | 1;
  const auto record = [&](Action action, Reason why, const Algo& given) {
    call.record(action, why,
                {Fingerprint(given).c_str(), uint64_t{workspace}, Fingerprint(asked).c_str(),
                 reduction_of(call, given)});
  };
  Algo first;
  const bool is_other = find_other_taken(key, asked, first);
  if (is_other) {
    const cublasStatus status = run(first);
    if (status == cublasStatus::success) record(Action::replace, Reason::first_that_ran, first);
    if (!is_refusal(status)) return status;
  }
  const cublasStatus status = run(asked);
  if (status != cublasStatus::success) return status;
  if (is_other)
    record(Action::unfixed, Reason::first_does_not_run, asked);
  else if (take(key, asked))
    record(Action::observe, Reason::first_that_ran, asked);
  else
    record(Action::unfixed, Reason::too_many_products, asked);
  return status;
}

// ---- the list's answer ----

/// Leaves one result of a list.
void leave_one(Result* results, int* returned, int chosen) {
  const Result kept = results[chosen];
  for (int i = 0; i < *returned; ++i) results[i].state = cublasStatus::not_supported;
  results[0] = kept;
  *returned = 1;
}

int first_success(const Result* results, int count) {
  for (int i = 0; i < count; ++i)
    if (results[i].state == cublasStatus::success) return i;
  return -1;
}

/// A copy of the program's preference, by which no algorithm with a reduction is listed. The program's own is
/// left alone, because threads may share it.
class PreferenceWithoutReduction {
public:
  template <typename Call>
  PreferenceWithoutReduction(const Call& call, cublasLtMatmulPreference_t preference) {
    if (!options().without_reduction || !options().forces() || preference == nullptr) return;
    auto* const create =
        call.template beside<cublasStatus(cublasLtMatmulPreference_t*)>("cublasLtMatmulPreferenceCreate");
    auto* const get = call.template beside<GetAttribute>("cublasLtMatmulPreferenceGetAttribute");
    set_ = call.template beside<SetAttribute>("cublasLtMatmulPreferenceSetAttribute");
    destroy_ =
        call.template beside<cublasStatus(cublasLtMatmulPreference_t)>("cublasLtMatmulPreferenceDestroy");
    if (create == nullptr || get == nullptr || set_ == nullptr || destroy_ == nullptr ||
        create(&copy_) != cublasStatus::success)
      return;
    for (int attribute = 0; attribute < cublaslt_preference_attributes_end; ++attribute) {
      uint64_t value[2];
      size_t size = 0; // of the value, which is told where no bytes are asked for
      if (get(preference, attribute, nullptr, 0, &size) == cublasStatus::success && size <= sizeof value &&
          get(preference, attribute, value, size, &size) == cublasStatus::success)
        set_(copy_, attribute, value, size);
    }
    const uint32_t none = cublaslt_reduction_none;
    is_set_ = set_(copy_, cublaslt_preference_reduction_schemes, &none, sizeof none) == cublasStatus::success;
  }
  ~PreferenceWithoutReduction() {
    if (copy_ != nullptr) destroy_(copy_);
  }
  PreferenceWithoutReduction(const PreferenceWithoutReduction&) = delete;
  PreferenceWithoutReduction& operator=(const PreferenceWithoutReduction&) = delete;

  /// nullptr where none is asked for, or this version has no such thing.
  cublasLtMatmulPreference_t get() const { return is_set_ ? copy_ : nullptr; }

private:
  using SetAttribute = cublasStatus(cublasLtMatmulPreference_t, int, const void*, size_t);
  SetAttribute* set_ = nullptr;
  cublasStatus (*destroy_)(cublasLtMatmulPreference_t) = nullptr;
  cublasLtMatmulPreference_t copy_ = nullptr;
  bool is_set_ = false;
};

/// Asks for a list, `list(preference)`: of algorithms without a reduction if they are asked for and there are
/// some, else what the program asks for.
template <typename Call, typename List>
cublasStatus list_by_preference(const Call& call, cublasLtMatmulPreference_t preference,
                                const Result* results, const int* returned, List list) {
  const PreferenceWithoutReduction without(call, preference);
  if (without.get() == nullptr || results == nullptr || returned == nullptr) return list(preference);
  const cublasStatus status = list(without.get());
  if (status == cublasStatus::success && first_success(results, *returned) >= 0) {
    call.record(Action::replace, Reason::reductions_left_out, {*returned, *returned});
    return status;
  }
  const cublasStatus with = list(preference);
  if (with == cublasStatus::success && first_success(results, *returned) >= 0)
    call.record(Action::unfixed, Reason::reduction_needed, {*returned, *returned});
  return with;
}

/// Asks the library whether it still takes an algorithm, and for which workspace.
using Check = cublasStatus(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                           cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                           const Algo*, Result*);
using CheckForStream = cublasStatus(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                    const Algo*, Result*, cudaStream_t);

/// The first result that the program can use: one that fits the limit in its preference, and that the library
/// still takes when it is asked about that one, by `check(algorithm, result)`. The first that works at all,
/// if there is none.
template <typename Call, typename AskAgain>
int first_usable(const Call& call, cublasLtMatmulPreference_t preference, const Result* results, int count,
                 AskAgain check) {
  auto* const get = call.template beside<GetAttribute>("cublasLtMatmulPreferenceGetAttribute");
  uint64_t limit = ~uint64_t{0}, asked = 0;
  size_t written = 0;
  if (get != nullptr && preference != nullptr &&
      get(preference, cublaslt_preference_max_workspace, &asked, sizeof asked, &written) ==
          cublasStatus::success)
    limit = asked;
  for (int i = 0; i < count; ++i) {
    if (results[i].state != cublasStatus::success || results[i].workspace_size > limit) continue;
    Result checked = results[i];
    if (check(&results[i].algo, &checked) && checked.workspace_size <= limit) return i;
  }
  return first_success(results, count);
}

/// The result that the tuning file keeps for a product.
struct Kept {
  int place = -1; ///< in the list; -1: it is not there
  Reason why;     ///< for the log
};

template <typename Call>
Kept find_kept(const Call& call, const Product& product, const Result* results, int count) {
  Problem problem(getters_of(call), product);
  char kept[tuning_choice_size];
  if (!find_tuning(problem.names(), kept, sizeof kept)) return {-1, Reason::not_in_tuning_file};
  for (int i = 0; i < count; ++i) {
    if (results[i].state != cublasStatus::success) continue;
    Text<160> algo;
    add_algo(algo, results[i].algo);
    if (starts_with(kept, algo.c_str())) return {i, Reason::kept_choice};
  }
  return {-1, Reason::kept_choice_not_offered};
}

/// What becomes of a list that the library gave: one algorithm is left of several. `check` is first_usable's.
template <typename Call, typename AskAgain>
void give_one(const Call& call, const Product& product, cublasLtMatmulPreference_t preference, int requested,
              Result* results, int* returned, AskAgain check) {
  if (requested <= 1 || results == nullptr || returned == nullptr || *returned <= 0) return;
  record_library_once(call, cublaslt_library);
  const int found = *returned < requested ? *returned : requested;
  const int first = first_success(results, found);
  if (first < 0) {
    call.record(Action::observe, Reason::nothing_works, {found, found});
    return;
  }
  const Autotune tuning = autotune();
  if (tuning == Autotune::off) {
    call.record(Action::unfixed, Reason::program_may_time, {found, found});
    return;
  }
  if (tuning == Autotune::record) {
    Problem problem(getters_of(call), product);
    char kept[tuning_choice_size];
    find_tuning(problem.names(), kept, sizeof kept); // refuses a wrong file now, not after the search
    remember_list(problem, results, found);
    call.record(Action::unfixed, Reason::tuning_keeps_use, {found, found});
    return;
  }
  Reason why = Reason::one_candidate;
  int chosen = first_usable(call, preference, results, found, check);
  if (tuning == Autotune::replay) {
    const Kept kept = find_kept(call, product, results, found);
    if (kept.place >= 0) chosen = kept.place;
    why = kept.why;
  }
  leave_one(results, returned, chosen);
  call.record(Action::replace, why, {found, 1});
}

constexpr Description gives_one_algorithm = {
    .action = Action::replace,
    .fields = {"found", "given"},
    .summary =
        "Gives one algorithm where several are asked for, which would be timed: the first that works, or "
        "the one that DETSHIM_AUTOTUNE=replay:FILE keeps.",
};

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtCreate, (cublasLtHandle_t * handle), .action = Action::unfixed,
             .fields = {"asked", "given", "variable"},
             .summary = "Records environment variables that ask for emulation or take part in choosing "
                        "algorithms.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtCreate);
  const cublasStatus status = call.real(handle);
  if (call.passes()) return status;
  record_library_once(call, cublaslt_library);
  if (status == cublasStatus::success) record_cublas_variables(call);
  return status;
}

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoGetHeuristic,
             (cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a,
              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
              cublasLtMatmulPreference_t preference, int requested, cublasLtMatmulHeuristicResult* results,
              int* returned),
             gives_one_algorithm) {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoGetHeuristic);
  if (call.passes())
    return call.real(handle, operation, a, b, c, d, preference, requested, results, returned);
  const cublasStatus status =
      list_by_preference(call, preference, results, returned, [&](cublasLtMatmulPreference_t asked) {
        return call.real(handle, operation, a, b, c, d, asked, requested, results, returned);
      });
  if (status != cublasStatus::success) return status;
  give_one(call, {operation, a, b, c, d}, preference, requested, results, returned,
           [&](const Algo* algo, Result* checked) {
             auto* const check = call.beside<Check>("cublasLtMatmulAlgoCheck");
             return check == nullptr ||
                    check(handle, operation, a, b, c, d, algo, checked) == cublasStatus::success;
           });
  return status;
}

// Since cuBLAS 13.5: the same for the multiprocessors that a stream's context may use.
DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoGetHeuristicForStream,
             (cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a,
              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
              cublasLtMatmulPreference_t preference, int requested, cublasLtMatmulHeuristicResult* results,
              int* returned, cudaStream_t stream),
             gives_one_algorithm) {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoGetHeuristicForStream);
  if (call.passes())
    return call.real(handle, operation, a, b, c, d, preference, requested, results, returned, stream);
  const cublasStatus status =
      list_by_preference(call, preference, results, returned, [&](cublasLtMatmulPreference_t asked) {
        return call.real(handle, operation, a, b, c, d, asked, requested, results, returned, stream);
      });
  if (status != cublasStatus::success) return status;
  give_one(call, {operation, a, b, c, d}, preference, requested, results, returned,
           [&](const Algo* algo, Result* checked) {
             auto* const check = call.beside<CheckForStream>("cublasLtMatmulAlgoCheckForStream");
             return check == nullptr ||
                    check(handle, operation, a, b, c, d, algo, checked, stream) == cublasStatus::success;
           });
  return status;
}

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoGetIds,
             (cublasLtHandle_t handle, cublasComputeType compute, cudaDataType scale, cudaDataType a,
              cudaDataType b, cudaDataType c, cudaDataType d, int requested, int* ids, int* returned),
             .action = Action::unfixed, .fields = {"found", "given"},
             .summary = "Recorded: a program that lists algorithms by their numbers may time them.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoGetIds);
  const cublasStatus status = call.real(handle, compute, scale, a, b, c, d, requested, ids, returned);
  if (call.passes() || status != cublasStatus::success || returned == nullptr || *returned <= 1)
    return status;
  record_library_once(call, cublaslt_library);
  const int found = *returned;
  const Autotune tuning = autotune();
  if (takes_the_first())
    call.record(Action::observe, Reason::first_that_ran, {found, found});
  else
    call.record(Action::unfixed,
                tuning == Autotune::off ? Reason::program_may_time : Reason::choice_cannot_be_kept,
                {found, found});
  return status;
}

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoInit,
             (cublasLtHandle_t handle, cublasComputeType compute, cudaDataType scale, cudaDataType a,
              cudaDataType b, cudaDataType c, cudaDataType d, int id, cublasLtMatmulAlgo* algo),
             .action = Action::observe,
             .summary = "Remembers an algorithm that the program begins to configure by itself.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoInit);
  const cublasStatus status = call.real(handle, compute, scale, a, b, c, d, id, algo);
  if (!call.passes() && status == cublasStatus::success && takes_the_first()) remember_configured(*algo);
  return status;
}

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoConfigSetAttribute,
             (cublasLtMatmulAlgo * algo, int attribute, const void* value, size_t size),
             .action = Action::unfixed, .fields = {"attribute", "value"},
             .summary = "Recorded: a program that configures algorithms by itself may choose among them by "
                        "their times.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoConfigSetAttribute);
  const cublasStatus status = call.real(algo, attribute, value, size);
  if (call.passes() || status != cublasStatus::success) return status;
  record_library_once(call, cublaslt_library);
  uint64_t number = 0;
  if (value != nullptr && size <= sizeof number) __builtin_memcpy(&number, value, size);
  if (takes_the_first()) {
    remember_configured(*algo);
    call.record(Action::observe, Reason::first_that_ran, {attribute, number});
    return status;
  }
  call.record(Action::unfixed, Reason::program_may_time, {attribute, number});
  return status;
}

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmul,
             (cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo* algo, void* workspace,
              size_t workspace_size, cudaStream_t stream),
             .action = Action::replace, .fields = {"algorithm", "workspace", "asked", "reduction"},
             .summary = "Recorded: the algorithm's fingerprint, so that it shows when two logs are compared; "
                        "kept for DETSHIM_AUTOTUNE=record:FILE. Of several that the program configured, the "
                        "first that ran for a product runs.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmul);
  const auto run = [&](const cublasLtMatmulAlgo* which) {
    return print_outputs(
        call,
        [&](CallOutputs& outputs) {
          const Getters getters = getters_of(call);
          outputs.set_stream(stream);
          add_operands(outputs, getters.of_layout, getters.of_operation, operation, a, a_layout, b, b_layout,
                       alpha, beta, c, c_layout, d, d_layout);
        },
        [&] {
          return call.real(handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout,
                           which, workspace, workspace_size, stream);
        });
  };
  const Product product{operation, a_layout, b_layout, c_layout, d_layout};
  if (!call.passes() && algo != nullptr && takes_the_first() && is_configured(*algo))
    return run_configured(call, product, *algo, workspace_size,
                          [&](const cublasLtMatmulAlgo& which) { return run(&which); });
  const cublasStatus status = run(algo);
  if (call.passes() || status != cublasStatus::success) return status;
  if (algo == nullptr) {
    call.record(Action::observe,
                options().without_reduction ? Reason::reduction_scheme_not_applied : Reason::library_choice,
                {"", uint64_t{workspace_size}, "", ""});
    return status;
  }
  Fingerprint name(*algo);
  call.record(Action::observe, Reason::program_choice,
              {name.c_str(), uint64_t{workspace_size}, name.c_str(), reduction_of(call, *algo)});
  if (autotune() == Autotune::record) keep_used(call, product, *algo);
  return status;
}
