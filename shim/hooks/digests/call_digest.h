// What library calls are given on a GPU and leave there (DETSHIM_FINGERPRINT=calls): described by
// the hooks of those libraries, hashed on the GPU in the call's own stream, by our own kernel
// that runs right behind it.
//
// Nothing is waited for. In a stream that is being captured nothing is launched, which the
// record tells.
#pragma once

#include "common/reasons.h"
#include "core/fingerprint/area_hash.h"
#include "core/fingerprint/pending_transfers.h"
#include "hooks/cuda/driver.h"
#include "hooks/support/functions.h"

namespace detshim {

/// `size` bytes in a row.
HashedArea bytes_at(const void* start, uint64_t size);
/// Rows of `width` bytes, `pitch` bytes apart. A matrix by columns has its columns here.
HashedArea rows_at(const void* start, uint64_t width, uint64_t rows, uint64_t pitch);
/// A triangle of a square matrix by columns, with its diagonal; `fill` is CUBLAS_FILL_MODE_LOWER,
/// 0, or another's. Empty where the matrix cannot lie so.
HashedArea triangle_of(int fill, const void* start, uint64_t element, int64_t order,
                       int64_t leading);
/// So many of such, `pitch` bytes apart.
HashedArea batch_of(const HashedArea& area, uint64_t count, uint64_t pitch);
/// So many of such, by an array of pointers on the GPU.
HashedArea batch_by_pointers(const HashedArea& area, uint64_t count, const void* const* pointers);
/// A tensor of `element` bytes an element, by its sizes and its distances in elements. Empty, that
/// is without width, for one that cannot be described so.
HashedArea tensor_at(const void* start, uint64_t element, int dimensions, const int64_t* sizes,
                     const int64_t* strides);

/// True for a scale by which nothing is added.
bool is_zero(const void* number, uint64_t size);

/// One call. Its areas are added before the call is made; where one of them is not known, a reason.
class CallDigest {
public:
  static constexpr int most = 20;

  CallDigest(const Hook& hook, const void* caller) : hook_(&hook), caller_(caller) {}
  ~CallDigest();
  CallDigest& operator=(CallDigest&&) = delete; // neither copied nor moved

  const Hook& hook() const { return *hook_; }

  /// A handle's stream, or the call's.
  void set_stream(abi::CUstream stream) { stream_ = stream; }
  /// Read by the call, and not changed, unless an output lies over it: then hashed before the call,
  /// if it lies within one allocation.
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
  /// A number, or words, that what comes out depends on: "m=128".
  template <typename Value>
  CallDigest& add_shape(const char* name, Value value) {
    if (shape_.length() != 0)
      shape_.add(' ');
    shape_.add(name).add('=');
    if constexpr (requires { shape_.add(static_cast<const char*>(value)); })
      shape_.add(static_cast<const char*>(value));
    else
      shape_.add(static_cast<uint64_t>(value));
    return *this;
  }
  /// Several of them: "x=8,3,32,32".
  void add_sizes(const char* name, const int* sizes, int count) {
    for (int i = 0; i < count; ++i) {
      if (i > 0)
        shape_.add(',').add(static_cast<uint64_t>(sizes[i]));
      else
        add_shape(name, sizes[i]);
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
  DigestSequence* sequence_ = nullptr;
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

/// A call that put work into a graph itself: what its launches leave is not seen.
void digest_unseen(const Hook& hook, const void* caller);

/// True if a digest of a hook's call is wanted.
template <typename Call>
bool wants_digest(const Call& call) {
  return __builtin_expect(options().fingerprint_calls, 0) && !call.passes();
}

/// Makes a call by run(), with what `describe(digest)` adds hashed if it is wanted.
template <typename Call, typename Describe, typename Run>
auto digest_call(const Call& call, Describe describe, Run run) {
  if (!wants_digest(call))
    return run();
  CallDigest digest(call.hook(), call.caller());
  describe(digest);
  digest.begin();
  const auto status = run();
  if (status == decltype(status)::success)
    digest.finish();
  return status;
}

/// Calls the library with the arguments; what `describe(digest, arguments...)` adds is hashed if it
/// is wanted.
template <auto describe, typename Call, typename... Arguments>
auto call_digested(const Call& call, Arguments... arguments) {
  return digest_call(
      call,
      [&](CallDigest& digest) {
        describe(digest, arguments...);
      },
      [&] {
        return call.real(arguments...);
      });
}

inline constexpr Description hashes_call = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls "
               "asks for it.",
};

} // namespace detshim

/// Declares a hook that does nothing but hash. After NAME: `void describe(CallDigest&,
/// arguments...)`.
#define DETSHIM_DIGEST_HOOK(LIBRARY, STATUS, NAME, ...)                                            \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME, OutermostCall, ::detshim::call_digested,           \
                         ::detshim::hashes_call, __VA_ARGS__)
