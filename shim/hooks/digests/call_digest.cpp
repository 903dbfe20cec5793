#include "hooks/digests/call_digest.h"

#include "core/base/signal_safe_lock.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* device = "device";

/// What hashing on a GPU needs of the driver, beside hooks/cuda/driver.h.
struct HashingFunctions {
  DriverFunction<CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, CUstream, void**, void**)>
      launch_kernel{"cuLaunchKernel"};
  DriverFunction<CUresult(CUmodule*, const void*)> load_module{"cuModuleLoadData"};
  DriverFunction<CUresult(CUfunction*, CUmodule, const char*)> get_function{"cuModuleGetFunction"};
  DriverFunction<CUresult(void*, size_t, unsigned)> register_memory{"cuMemHostRegister_v2"};
  DriverFunction<CUresult(CUdeviceptr*, void*, unsigned)> get_address{
      "cuMemHostGetDevicePointer_v2"};
  DriverFunction<CUresult(CUdeviceptr*, size_t*, CUdeviceptr)> get_range{"cuMemGetAddressRange_v2"};
  DriverFunction<CUresult(CUcontext)> push_context{"cuCtxPushCurrent_v2"};
  DriverFunction<CUresult(CUcontext*)> pop_context{"cuCtxPopCurrent_v2"};
  DriverFunction<CUresult(CUstream, CUcontext*)> context_of_stream{"cuStreamGetCtx"};
  DriverFunction<CUresult(CUcontext, unsigned long long*)> get_id{"cuCtxGetId"};
};
constinit HashingFunctions hashing_functions;

/// The kernel in a context, and where it finds the results' memory.
struct Kernel {
  uint64_t context;
  CUfunction function; // nullptr: the driver did not take it
  CUdeviceptr results;
  uint32_t set; // of slots
  bool has_set;
  bool is_stale; // a launch failed: it is to be loaded anew
  uint8_t failures;
};

constexpr int most_contexts = 64;
constexpr uint8_t most_failures = 8;
struct Kernels {
  uint32_t generation;
  int count;
  Kernel kernels[most_contexts];
  uint64_t lock;
};
constinit Kernels kernels = {};

/// The current context by a number that no later one gets, whose handle may be the same; 0 where
/// the driver gives none (before CUDA 12).
uint64_t lasting_context(const Hook& hook) {
  unsigned long long id = 0;
  constexpr CUcontext current = nullptr;
  return hashing_functions.get_id.succeeds(hook, current, &id) ? id + 1 : 0;
}

/// Has the context of the stream current while it lives.
class ContextOfStream {
public:
  ContextOfStream(const Hook& hook, CUstream stream) : hook_(hook) {
    CUcontext context = nullptr;
    is_pushed_ = number_of(stream) > stream_per_thread &&
                 hashing_functions.context_of_stream.succeeds(hook, stream, &context) &&
                 number_of(context) != current_context(hook) &&
                 hashing_functions.pop_context.of(hook) != nullptr &&
                 hashing_functions.push_context.succeeds(hook, context);
  }
  ~ContextOfStream() {
    CUcontext context;
    if (is_pushed_)
      hashing_functions.pop_context.succeeds(hook_, &context);
  }
  ContextOfStream& operator=(ContextOfStream&&) = delete; // neither copied nor moved

private:
  const Hook& hook_;
  bool is_pushed_;
};

/// Memory for results that the current context can write. False, and nothing is kept, where that
/// cannot be.
bool make_results(const Hook& hook, Kernel& kernel) {
  const bool can_register = hashing_functions.register_memory.of(hook) != nullptr &&
                            hashing_functions.get_address.of(hook) != nullptr;
  HashResult* const results = can_register ? make_hash_slots(kernel.set) : nullptr;
  if (results == nullptr)
    return false;
  kernel.has_set = hashing_functions.register_memory.succeeds(
                       hook, results, hash_slots * sizeof(HashResult), host_register_mapped) &&
                   hashing_functions.get_address.succeeds(hook, &kernel.results, results, 0U);
  if (!kernel.has_set)
    forget_hash_slots(kernel.set);
  return kernel.has_set;
}

/// What is loaded or registered must end no capture of another thread's.
void load_kernel(const Hook& hook, Kernel& kernel) {
  const RelaxedCapture relaxed(hook);
  CUmodule module;
  kernel.is_stale = false;
  if ((!kernel.has_set && !make_results(hook, kernel)) ||
      !hashing_functions.load_module.succeeds(hook, &module, detshim_hash_kernel) ||
      !hashing_functions.get_function.succeeds(hook, &kernel.function, module, "detshim_hash"))
    kernel.function = nullptr;
}

Kernel* find_kernel(uint64_t context) {
  if (kernels.generation != generation())
    kernels.count = 0, kernels.generation = generation();
  for (int i = 0; i < kernels.count; ++i)
    if (kernels.kernels[i].context == context)
      return &kernels.kernels[i];
  return nullptr;
}

/// That of the current context; without a function where it has no kernel.
Kernel kernel_here(const Hook& hook) {
  const uint64_t context = lasting_context(hook);
  SignalSafeLock guard(kernels.lock);
  if (context == 0 || !guard.held())
    return {};
  Kernel* known = find_kernel(context);
  if (known == nullptr) {
    if (kernels.count == most_contexts)
      return {};
    known = &kernels.kernels[kernels.count++];
    *known = {};
    known->context = context;
    known->is_stale = true;
  }
  if (known->is_stale)
    load_kernel(hook, *known);
  return *known;
}

/// A launch failed.
void note_failure(uint64_t context) {
  SignalSafeLock guard(kernels.lock);
  Kernel* const known = guard.held() ? find_kernel(context) : nullptr;
  if (known == nullptr)
    return;
  known->function = nullptr;
  known->is_stale = ++known->failures < most_failures;
}

uint64_t size_of(const HashedArea& area) { return area.width * rows_of(area); }

/// From its first byte to its last.
uint64_t extent_of(const HashedArea& area) {
  uint64_t extent = area.width;
  for (int level = 0; level < HashedArea::levels; ++level)
    extent += (area.counts[level] - 1) * area.pitches[level];
  return extent;
}

/// True if the GPU can read all of it, as far as the driver tells. The library may still refuse the
/// call.
bool is_in_one_allocation(const Hook& hook, const HashedArea& area) {
  CUdeviceptr start = 0;
  size_t size = 0;
  return area.goes_by_pointers == 0 &&
         hashing_functions.get_range.succeeds(hook, &start, &size, area.start) &&
         area.start >= start && area.start - start <= size &&
         extent_of(area) <= size - (area.start - start);
}

HashedArea area_at(const void* start, uint64_t width) {
  HashedArea area = {};
  area.start = number_of(start);
  area.width = width;
  for (uint64_t& count : area.counts)
    count = 1;
  return area;
}

} // namespace

HashedArea bytes_at(const void* start, uint64_t size) { return area_at(start, size); }

HashedArea rows_at(const void* start, uint64_t width, uint64_t rows, uint64_t pitch) {
  // Without gaps they are one row; words begin where they did.
  if (pitch == width && width % 8 == 0)
    return area_at(start, width * rows);
  HashedArea area = area_at(start, width);
  area.counts[0] = rows;
  area.pitches[0] = pitch;
  return area;
}

HashedArea triangle_of(int fill, const void* start, uint64_t element, int64_t order,
                       int64_t leading) {
  if (order <= 0 || leading < order)
    return {};
  HashedArea area = area_at(start, static_cast<uint64_t>(order) * element);
  area.counts[0] = static_cast<uint64_t>(order);
  area.pitches[0] = static_cast<uint64_t>(leading) * element;
  area.element = element;
  area.triangle = fill == 0 ? Triangle::lower : Triangle::upper;
  return area;
}

HashedArea batch_of(const HashedArea& area, uint64_t count, uint64_t pitch) {
  HashedArea batch = area;
  batch.counts[1] = count;
  batch.pitches[1] = pitch;
  return batch;
}

HashedArea batch_by_pointers(const HashedArea& area, uint64_t count, const void* const* pointers) {
  HashedArea batch = area;
  batch.start = number_of(pointers);
  batch.counts[HashedArea::levels - 1] = count;
  batch.goes_by_pointers = 1;
  return batch;
}

HashedArea tensor_at(const void* start, uint64_t element, int dimensions, const int64_t* sizes,
                     const int64_t* strides) {
  constexpr int most = 16;
  struct {
    uint64_t size, stride;
  } dimension[most];
  int count = 0;
  if (dimensions > most)
    return {};
  for (int i = 0; i < dimensions; ++i) {
    if (sizes[i] <= 0 || strides[i] < 0)
      return {};
    if (sizes[i] == 1)
      continue;
    int at = count++;
    for (; at > 0 && dimension[at - 1].stride > static_cast<uint64_t>(strides[i]); --at)
      dimension[at] = dimension[at - 1];
    dimension[at] = {static_cast<uint64_t>(sizes[i]), static_cast<uint64_t>(strides[i])};
  }
  uint64_t row = 1;
  int next = 0;
  for (; next < count && dimension[next].stride == row; ++next)
    row *= dimension[next].size;
  HashedArea area = area_at(start, row * element);
  for (int level = 0; next < count; ++level) {
    if (level == HashedArea::levels)
      return {};
    area.counts[level] = dimension[next].size;
    area.pitches[level] = dimension[next].stride * element;
    // Dimensions that lie behind each other are one.
    for (++next; next < count &&
                 dimension[next].stride * element == area.counts[level] * area.pitches[level];
         ++next)
      area.counts[level] *= dimension[next].size;
  }
  return area;
}

bool is_zero(const void* number, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i)
    if (static_cast<const unsigned char*>(number)[i] != 0)
      return false;
  return true;
}

void digest_unseen(const Hook& hook, const void* caller) {
  add_digest(digests_at(hook.info(), device, caller), {0, 0, Reason::in_graph});
}

CallDigest::~CallDigest() {
  if (inputs_.parts != 0)
    give_back_hash_slot(inputs_);
}

void CallDigest::add_number(const void* bytes, size_t size) {
  if (bytes != nullptr)
    numbers_ = content_hash(bytes, size, numbers_);
}

void CallDigest::add(const HashedArea& area, Kind kind) {
  const bool is_empty = area.width == 0 || rows_of(area) == 0;
  if (!is_empty && area.start != 0 && count_ < most) {
    operands_[count_++] = {area, kind};
  } else if (kind != Kind::output) {
    has_inputs_ &= is_empty;
  } else if (!is_empty && why_unread_ == Reason::none) {
    why_unread_ = area.start == 0 ? Reason::address_unknown : Reason::too_many_operands;
  }
}

/// True if the call may write there.
bool CallDigest::is_written(const HashedArea& input) const {
  for (int i = 0; i < count_; ++i) {
    const auto& [area, kind] = operands_[i];
    if (kind != Kind::output || area.goes_by_pointers != 0 || input.goes_by_pointers != 0)
      continue;
    if (input.start < area.start + extent_of(area) && area.start < input.start + extent_of(input))
      return true;
  }
  return false;
}

bool CallDigest::hash(const HashedArea& area, PendingHash& into) {
  const Kernel kernel = kernel_here(*hook_);
  if (kernel.function == nullptr)
    return why_unread_ = Reason::no_hash_kernel, false;
  if (into.parts == 0 && !take_hash_slot(kernel.set, into))
    return why_unread_ = Reason::too_many_hashes, false;
  if (into.set != kernel.set)
    return why_unread_ = Reason::no_hash_kernel, false; // another context's by now
  HashJob job = {area, kernel.results + into.slot * sizeof(HashResult), into.slot, into.parts};
  constexpr uint64_t words_of_block = uint64_t{hash_threads} * 4, most_blocks = 1024;
  const uint64_t words = words_of_row(area) * rows_of(area);
  const uint64_t blocks = (words + words_of_block - 1) / words_of_block;
  void* arguments[] = {&job};
  if (hashing_functions.launch_kernel.succeeds(
          *hook_, kernel.function,
          static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), 1U, 1U, hash_threads,
          1U, 1U, 0U, stream_, arguments, nullptr))
    return ++into.parts, true;
  if (into.parts == 0)
    give_back_hash_slot(into);
  note_failure(lasting_context(*hook_));
  return why_unread_ = Reason::no_hash_kernel, false;
}

bool CallDigest::hash_all(Kind kind, PendingHash& into) {
  for (int i = 0; i < count_; ++i)
    if (operands_[i].kind == kind && !hash(operands_[i].area, into))
      return false;
  return true;
}

/// What the call will write over. An area that may not be the program's is not read: the library
/// may still refuse the call.
bool CallDigest::hash_before(Kind kind) {
  for (int i = 0; i < count_; ++i)
    if (operands_[i].kind == kind &&
        (why_unread_ != Reason::none || !is_in_one_allocation(*hook_, operands_[i].area) ||
         !hash(operands_[i].area, inputs_)))
      return false;
  return true;
}

void CallDigest::begin() {
  say_library(*hook_);
  say_library(driver_behind(*hook_));
  // What is loaded for the first call is loaded before it: the call does not wait on the GPU for
  // it.
  const ContextOfStream context(*hook_, stream_);
  if (is_capturing(*hook_, stream_)) {
    why_unread_ = Reason::in_graph;
  } else if (kernel_here(*hook_).function == nullptr) {
    if (why_unread_ == Reason::none)
      why_unread_ = Reason::no_hash_kernel;
  }
  stream_number_ = number_of_stream(*hook_, stream_);
  sequence_ = digests_of_stream(hook_->info(), device, caller_, stream_number_, shape_.c_str());
  for (int i = 0; i < count_; ++i)
    are_inputs_before_ |= operands_[i].kind == Kind::input && is_written(operands_[i].area);
  if (!has_inputs_)
    return;
  // In the order in which they come where none lies under an output.
  has_inputs_ = hash_before(Kind::changed) && (!are_inputs_before_ || hash_before(Kind::input));
}

void CallDigest::finish() {
  const ContextOfStream context(*hook_, stream_);
  const uint64_t where = current_context(*hook_);
  Output output;
  for (int i = 0; i < count_; ++i)
    if (operands_[i].kind == Kind::output)
      output.bytes += size_of(operands_[i].area);
  if (why_unread_ == Reason::none && has_inputs_ && !are_inputs_before_)
    has_inputs_ = hash_all(Kind::input, inputs_);
  if (why_unread_ == Reason::none)
    hash_all(Kind::output, output.output);
  if (why_unread_ != Reason::none) {
    if (output.output.parts != 0)
      give_back_hash_slot(output.output);
    return add_unread_in_stream(sequence_, output.bytes, why_unread_, stream_number_, where);
  }
  output.has_inputs = has_inputs_;
  if (has_inputs_) {
    output.inputs = inputs_;
    output.numbers = numbers_;
    inputs_ = {};
  }
  add_output_in_stream(sequence_, output, stream_number_, where);
}

} // namespace detshim
