// What library calls are given on a GPU and leave there (DETSHIM_FINGERPRINT=calls): described by the hooks
// of those libraries, hashed on the GPU in the call's own stream, by a kernel of ours that runs right behind
// it.
//
// Nothing is waited for. In a stream that is being captured nothing is launched; the record says so.
#pragma once

#include "common/reasons.h"
#include "core/fingerprint/area_hash.h"
#include "core/fingerprint/pending_transfers.h"
#include "hooks/cuda/streams.h"

namespace detshim {

/// `size` bytes in a row.
HashedArea bytes_at(const void* start, uint64_t size);
/// Rows of `width` bytes, `pitch` bytes apart. A matrix by columns has its columns here.
HashedArea rows_at(const void* start, uint64_t width, uint64_t rows, uint64_t pitch);
/// A triangle of a square matrix by columns, with its diagonal.
HashedArea triangle_at(const void* start, Triangle triangle, uint64_t element, uint64_t columns,
                       uint64_t pitch);
/// So many of such, `pitch` bytes apart.
HashedArea batch_of(const HashedArea& area, uint64_t count, uint64_t pitch);
/// So many of such, by an array of pointers on the GPU.
HashedArea batch_by_pointers(const HashedArea& area, uint64_t count, const void* const* pointers);
/// A tensor of `element` bytes an element, by its sizes and its distances in elements. Empty, that is without
/// width, for one that cannot be described so.
HashedArea tensor_at(const void* start, uint64_t element, int dimensions, const int64_t* sizes,
                     const int64_t* strides);

/// One call. Its areas are added before the call is made; where one of them is not known, a reason.
class CallOutputs {
public:
  static constexpr int most = 20;

  CallOutputs(const Hook& hook, const void* caller) : hook_(&hook), caller_(caller) {}
  ~CallOutputs();
  CallOutputs(const CallOutputs&) = delete;
  CallOutputs& operator=(const CallOutputs&) = delete;

  /// A handle's stream, or the call's.
  void set_stream(abi::CUstream stream) { stream_ = stream; }
  /// Read by the call, and not changed, unless an output lies over it: then hashed before the call, if it
  /// lies within one allocation.
  void add_input(const HashedArea& area) { add(area, Kind::input); }
  /// Read by the call, and changed: hashed before it, if it lies within one allocation.
  void add_changed(const HashedArea& area) { add(area, Kind::changed); }
  void add_output(const HashedArea& area) { add(area, Kind::output); }
  /// Not all of the inputs are known: nothing is said of them.
  void leave_inputs() { has_inputs_ = false; }
  /// The outputs are not known, and why (a constant).
  void leave_outputs(Reason why) { why_unread_ = why; }
  /// A number of the host's that the call is given: part of what goes in. Nothing for nullptr.
  void add_number(const void* bytes, size_t size);
  /// A number that what comes out depends on: "m=128".
  void add_shape(const char* name, uint64_t value) {
    if (shape_.length() != 0) shape_.add(' ');
    shape_.add(name).add('=').add(value);
  }
  /// The same in words.
  void add_shape(const char* name, const char* words) {
    if (shape_.length() != 0) shape_.add(' ');
    shape_.add(name).add('=').add(words);
  }
  /// Several of them: "x=8,3,32,32".
  void add_sizes(const char* name, const int* sizes, int count) {
    for (int i = 0; i < count; ++i) {
      if (i > 0)
        shape_.add(',').add(static_cast<uint64_t>(sizes[i]));
      else
        add_shape(name, static_cast<uint64_t>(sizes[i]));
    }
  }

  /// Before the call.
  void begin();
  /// After it, if the library has taken it: once it is in its stream.
  void finish();
  /// The same for one that the library will put there at a time of its own.
  void finish_unread(Reason why) { leave_outputs(why), finish(); }

private:
  enum class Kind { input, changed, output };
  struct Operand {
    HashedArea area;
    Kind kind;
  };

  void add(const HashedArea& area, Kind kind);
  bool is_written(const HashedArea& input) const;
  bool hash(const HashedArea& area, PendingHash& into);
  bool hash_all(Kind kind, PendingHash& into);
  bool hash_before(Kind kind);

  const Hook* hook_;
  const void* caller_;
  Print* print_ = nullptr;
  abi::CUstream stream_ = nullptr;
  uint64_t stream_number_ = 0;
  Operand operands_[most];
  int count_ = 0;
  bool has_inputs_ = true;
  bool are_inputs_before_ = false; ///< hashed before the call
  Reason why_unread_ = Reason::none;
  PendingHash inputs_;
  uint64_t numbers_ = 0; ///< a hash of those of the host's
  Text<200> shape_;
};

/// The context is gone, or is about to be made anew: what was loaded into it went with it.
void forget_hashes_of_context(uint64_t context);

/// A call that put work into a graph itself: what its launches leave is not seen.
void print_unseen(const Hook& hook, const void* caller);

/// True if the outputs of a hook's call are wanted.
template <typename Call>
bool wants_outputs(const Call& call) {
  return __builtin_expect(options().fingerprint_calls, 0) && !call.passes();
}

/// Makes a call by run(), with what `describe(outputs)` adds hashed if it is wanted.
template <typename Call, typename Describe, typename Run>
auto print_outputs(const Call& call, Describe describe, Run run) {
  if (!wants_outputs(call)) return run();
  CallOutputs outputs(call.hook(), call.caller());
  describe(outputs);
  outputs.begin();
  const auto status = run();
  if (status == decltype(status)::success) outputs.finish();
  return status;
}

/// Another function of a hook's library, looked up once until an object goes.
template <typename Function>
class FunctionBeside {
public:
  explicit constexpr FunctionBeside(const char* name) : name_(name) {}

  template <typename Call>
  Function* of(const Call& call) {
    const uint64_t epoch = uint64_t{draw_epoch()} + 1;
    if (__atomic_load_n(&epoch_, __ATOMIC_ACQUIRE) != epoch) {
      __atomic_store_n(&known_, call.template beside<Function>(name_.c_str()), __ATOMIC_RELAXED);
      __atomic_store_n(&epoch_, epoch, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&known_, __ATOMIC_RELAXED);
  }

private:
  FunctionName name_;
  uint64_t epoch_ = 0;
  Function* known_ = nullptr;
};

} // namespace detshim
