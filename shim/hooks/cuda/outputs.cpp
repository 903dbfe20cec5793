#include "hooks/cuda/outputs.h"

#include "core/base/lock.h"
#include "core/fingerprint/hash_kernel_ptx.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* device = "device";
constexpr const char* why_captured = "put into a graph, whose launches compute it unseen";
constexpr const char* why_no_kernel = "the driver did not take the kernel that hashes";
constexpr const char* why_no_slot = "more hashes under way than are kept";

constinit DriverFunction<CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, CUstream, void**, void**)>
    launch_kernel("cuLaunchKernel");
constinit DriverFunction<CUresult(CUmodule*, const void*)> load_module("cuModuleLoadData");
constinit DriverFunction<CUresult(CUfunction*, CUmodule, const char*)> get_function("cuModuleGetFunction");
constinit DriverFunction<CUresult(void*, size_t, unsigned)> register_memory("cuMemHostRegister_v2");
constinit DriverFunction<CUresult(CUdeviceptr*, void*, unsigned)> get_address("cuMemHostGetDevicePointer_v2");
constinit DriverFunction<CUresult(CUdeviceptr*, size_t*, CUdeviceptr)> get_range("cuMemGetAddressRange_v2");
constinit DriverFunction<CUresult(int*)> exchange_mode("cuThreadExchangeStreamCaptureMode");
constinit DriverFunction<CUresult(CUcontext)> push_context("cuCtxPushCurrent_v2");
constinit DriverFunction<CUresult(CUcontext*)> pop_context("cuCtxPopCurrent_v2");
constinit DriverFunction<CUresult(CUstream, CUcontext*)> context_of_stream("cuStreamGetCtx");

/// The kernel in a context, and where it finds the results' memory.
struct Kernel {
  uint64_t context;
  CUfunction function; // nullptr: the driver did not take it
  CUdeviceptr results;
};

constexpr int most_contexts = 64;
struct Kernels {
  uint32_t generation;
  int count;
  Kernel kernels[most_contexts];
};
constinit Kernels kernels = {};
constinit uint64_t kernels_lock = 0;

/// What is loaded or registered must end no capture of another thread's: this one says that it knows better.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Hook& hook) : exchange_(exchange_mode.of(hook)) {
    is_changed_ = exchange_ != nullptr && exchange_(&mode_) == CUresult::success;
  }
  ~RelaxedCapture() {
    if (is_changed_) exchange_(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
  CUresult (*exchange_)(int*);
  int mode_ = capture_mode_relaxed;
  bool is_changed_;
};

/// Has the context of the stream current while it lives.
class ContextOfStream {
public:
  ContextOfStream(const Hook& hook, CUstream stream) : hook_(hook) {
    auto* const ask = context_of_stream.of(hook);
    CUcontext context = nullptr;
    if (number_of(stream) <= stream_per_thread || ask == nullptr ||
        ask(stream, &context) != CUresult::success || number_of(context) == current_context(hook))
      return;
    auto* const push = push_context.of(hook);
    is_pushed_ = push != nullptr && pop_context.of(hook) != nullptr && push(context) == CUresult::success;
  }
  ~ContextOfStream() {
    CUcontext context;
    if (is_pushed_) pop_context.of(hook_)(&context);
  }
  ContextOfStream(const ContextOfStream&) = delete;
  ContextOfStream& operator=(const ContextOfStream&) = delete;

private:
  const Hook& hook_;
  bool is_pushed_ = false;
};

/// Memory of our own, so that it stays when a context goes; shared, so that a child gets no copy of a page
/// that the GPU writes.
HashResult* make_results(const Hook& hook) {
  constexpr size_t size = hash_slots * sizeof(HashResult);
  auto* const results = static_cast<HashResult*>(sys::map_shared(size));
  if (results == nullptr) return nullptr;
  auto* const enroll = register_memory.of(hook);
  if (enroll != nullptr &&
      enroll(results, size, host_register_portable | host_register_mapped) == CUresult::success) {
    give_hash_results(results);
    return results;
  }
  sys::unmap(results, size);
  return nullptr;
}

Kernel make_kernel(const Hook& hook, uint64_t context) {
  Kernel kernel = {context, nullptr, 0};
  const RelaxedCapture relaxed(hook);
  HashResult* results = hash_results();
  if (results == nullptr) results = make_results(hook);
  auto* const address = get_address.of(hook);
  auto* const load = load_module.of(hook);
  auto* const get = get_function.of(hook);
  CUmodule module;
  if (results == nullptr || address == nullptr || load == nullptr || get == nullptr ||
      address(&kernel.results, results, 0) != CUresult::success ||
      load(&module, hash_kernel_ptx) != CUresult::success ||
      get(&kernel.function, module, "detshim_hash") != CUresult::success)
    kernel.function = nullptr;
  return kernel;
}

/// That of the current context; without a function where there is none.
Kernel kernel_here(const Hook& hook) {
  const uint64_t context = current_context(hook);
  Lock guard(kernels_lock);
  if (context == 0 || !guard.held()) return {};
  if (kernels.generation != generation()) kernels.count = 0, kernels.generation = generation();
  for (int i = 0; i < kernels.count; ++i)
    if (kernels.kernels[i].context == context) return kernels.kernels[i];
  if (kernels.count == most_contexts) return {};
  return kernels.kernels[kernels.count++] = make_kernel(hook, context);
}

/// A context that came again at the same address has no kernel of ours.
void forget_kernel(uint64_t context) {
  Lock guard(kernels_lock);
  if (!guard.held() || kernels.generation != generation()) return;
  for (int i = 0; i < kernels.count; ++i)
    if (kernels.kernels[i].context == context) kernels.kernels[i--] = kernels.kernels[--kernels.count];
}

uint64_t size_of(const HashedArea& area) { return area.width * rows_of(area); }

/// From its first byte to its last.
uint64_t extent_of(const HashedArea& area) {
  uint64_t extent = area.width;
  for (int level = 0; level < HashedArea::levels; ++level)
    extent += (area.counts[level] - 1) * area.pitches[level];
  return extent;
}

/// True if the GPU can read all of it, as far as the driver tells. The library may still refuse the call.
bool is_in_one_allocation(const Hook& hook, const HashedArea& area) {
  auto* const ask = get_range.of(hook);
  CUdeviceptr start = 0;
  size_t size = 0;
  return area.goes_by_pointers == 0 && ask != nullptr &&
         ask(&start, &size, area.start) == CUresult::success && area.start >= start &&
         area.start - start <= size && extent_of(area) <= size - (area.start - start);
}

HashedArea area_at(const void* start, uint64_t width) {
  HashedArea area = {};
  area.start = number_of(start);
  area.width = width;
  for (uint64_t& count : area.counts) count = 1;
  return area;
}

} // namespace

HashedArea bytes_at(const void* start, uint64_t size) { return area_at(start, size); }

HashedArea rows_at(const void* start, uint64_t width, uint64_t rows, uint64_t pitch) {
  // Without gaps they are one row; words begin where they did.
  if (pitch == width && width % 8 == 0) return area_at(start, width * rows);
  HashedArea area = area_at(start, width);
  area.counts[0] = rows;
  area.pitches[0] = pitch;
  return area;
}

HashedArea triangle_at(const void* start, Triangle triangle, uint64_t element, uint64_t columns,
                       uint64_t pitch) {
  HashedArea area = area_at(start, columns * element);
  area.counts[0] = columns;
  area.pitches[0] = pitch;
  area.element = element;
  area.triangle = triangle;
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
  if (dimensions > most) return {};
  for (int i = 0; i < dimensions; ++i) {
    if (sizes[i] <= 0 || strides[i] < 0) return {};
    if (sizes[i] == 1) continue;
    int at = count++;
    for (; at > 0 && dimension[at - 1].stride > static_cast<uint64_t>(strides[i]); --at)
      dimension[at] = dimension[at - 1];
    dimension[at] = {static_cast<uint64_t>(sizes[i]), static_cast<uint64_t>(strides[i])};
  }
  uint64_t row = 1;
  int next = 0;
  for (; next < count && dimension[next].stride == row; ++next) row *= dimension[next].size;
  HashedArea area = area_at(start, row * element);
  for (int level = 0; next < count; ++level) {
    if (level == HashedArea::levels) return {};
    area.counts[level] = dimension[next].size;
    area.pitches[level] = dimension[next].stride * element;
    // Dimensions that lie behind each other are one.
    for (++next; next < count && dimension[next].stride * element == area.counts[level] * area.pitches[level];
         ++next)
      area.counts[level] *= dimension[next].size;
  }
  return area;
}

void CallOutputs::add(const HashedArea& area, Kind kind) {
  const bool is_empty = area.width == 0 || rows_of(area) == 0;
  if (!is_empty && area.start != 0 && count_ < most) {
    operands_[count_++] = {area, kind};
  } else if (kind != Kind::output) {
    has_inputs_ &= is_empty;
  } else if (!is_empty && why_unread_ == nullptr) {
    why_unread_ = "where it is, the call does not say";
  }
}

bool CallOutputs::hash(const HashedArea& area, PendingHash& into) {
  const Kernel kernel = kernel_here(*hook_);
  auto* const launch = launch_kernel.of(*hook_);
  if (kernel.function == nullptr || launch == nullptr) return why_unread_ = why_no_kernel, false;
  if (into.parts == 0 && !take_hash_slot(into.slot)) return why_unread_ = why_no_slot, false;
  HashJob job = {area, kernel.results + into.slot * sizeof(HashResult), into.slot, into.parts};
  constexpr uint64_t words_of_block = uint64_t{hash_threads} * 4, most_blocks = 1024;
  const uint64_t words = words_of_row(area) * rows_of(area);
  const uint64_t blocks = (words + words_of_block - 1) / words_of_block;
  void* arguments[] = {&job};
  if (launch(kernel.function, static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), 1, 1,
             hash_threads, 1, 1, 0, stream_, arguments, nullptr) == CUresult::success)
    return ++into.parts, true;
  if (into.parts == 0) give_back_hash_slot(into.slot);
  forget_kernel(current_context(*hook_));
  return why_unread_ = why_no_kernel, false;
}

bool CallOutputs::hash_all(Kind kind, PendingHash& into) {
  for (int i = 0; i < count_; ++i)
    if (operands_[i].kind == kind && !hash(operands_[i].area, into)) return false;
  return true;
}

void CallOutputs::begin() {
  record_cuda_once(driver_behind(*hook_));
  // What is loaded for the first call is loaded before it: the call does not wait on the GPU for it.
  const ContextOfStream context(*hook_, stream_);
  if (is_capturing(*hook_, stream_)) {
    why_unread_ = why_captured;
  } else if (kernel_here(*hook_).function == nullptr) {
    if (why_unread_ == nullptr) why_unread_ = why_no_kernel;
  }
  stream_number_ = number_of_stream<Default::legacy>(*hook_, stream_);
  print_ = prints_of_stream(hook_->info(), device, caller_, stream_number_, shape_.c_str());
  for (int i = 0; i < count_; ++i)
    if (operands_[i].kind == Kind::changed)
      has_inputs_ = has_inputs_ && why_unread_ == nullptr &&
                    is_in_one_allocation(*hook_, operands_[i].area) && hash(operands_[i].area, inputs_);
}

void CallOutputs::finish() {
  const ContextOfStream context(*hook_, stream_);
  const uint64_t where = current_context(*hook_);
  Output output;
  for (int i = 0; i < count_; ++i)
    if (operands_[i].kind == Kind::output) output.bytes += size_of(operands_[i].area);
  if (why_unread_ == nullptr && has_inputs_) has_inputs_ = hash_all(Kind::input, inputs_);
  if (why_unread_ == nullptr) hash_all(Kind::output, output.output);
  if (why_unread_ != nullptr)
    return add_unread_in_stream(print_, output.bytes, why_unread_, stream_number_, where);
  output.inputs = inputs_;
  output.has_inputs = has_inputs_;
  add_output_in_stream(print_, output, stream_number_, where);
}

} // namespace detshim
