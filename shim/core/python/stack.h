// The Python frames of the calling thread, read out of the interpreter's own structures: without
// its lock, which extensions give up for most of their work, and without calls that allocate or
// count references.
//
// A thread's frames are its own and hold while it is in a call. Where they are is the interpreter's
// affair and differs from version to version, so nothing is believed: until what was read has
// agreed with what the interpreter itself says, memory is read by process_vm_readv(2), which fails
// where there is no memory, and every code object must have the type of one.
#pragma once

#include "core/base/modules.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// Where CPython of one version keeps what is needed, in bytes from the start of each structure.
struct PythonLayout {
  const char* version;           ///< "3.11."
  uint16_t state_frame;          ///< in PyThreadState: the innermost frame, or what holds it
  int16_t held_frame;            ///< in what holds it; -1: the state holds it itself
  uint16_t code, back, position; ///< in a frame
  int16_t owner; ///< in a frame: 3 and above is not Python's; -1: it has no such field
  enum class Position : uint8_t { bytes, units, pointer } position_is;
  uint16_t file, name; ///< in a code object
  uint16_t letters;    ///< in a text of ASCII
};

class PythonStack {
public:
  /// `line_of` is PyCode_Addr2Line, which reads what never changes. `to_utf8` is PyUnicode_AsUTF8
  /// where this thread holds the interpreter's lock, else nullptr.
  PythonStack(const PythonLayout* layout, const void* code_type,
              int (*line_of)(void* code, int position), const char* (*to_utf8)(void* text),
              bool is_trusted)
      : layout_(layout), code_type_(code_type), line_of_(line_of), to_utf8_(to_utf8),
        is_trusted_(is_trusted) {}

  /// To the innermost frame of that thread state, the calling thread's; false if it has no frame.
  bool begin(const void* state);
  /// To the frame behind; false at the end, or where it cannot be read.
  bool next();

  const void* code() const { return code_; }
  /// Names the instruction that the frame is at, while its code lives; 0 where it cannot be read.
  uint64_t place() const;
  int line() const;
  static constexpr const char* no_utf8 = "?";                 ///< in place of a name that has none
  const char* file() const { return text_at(layout_->file); } ///< nullptr where it cannot be read
  const char* function() const { return text_at(layout_->name); } ///< the same

private:
  template <typename Value>
  bool read(uintptr_t from, Value& to) const {
    return read_bytes(from, &to, sizeof to);
  }
  bool read_bytes(uintptr_t from, void* to, size_t size) const;
  bool take(uintptr_t frame);
  bool is_text(uintptr_t letters, size_t length, unsigned char highest) const;
  const char* text_at(uint16_t offset) const;

  const PythonLayout* layout_;
  const void* code_type_;
  int (*line_of_)(void* code, int position);
  const char* (*to_utf8_)(void* text);
  bool is_trusted_;
  uintptr_t frame_ = 0;
  void* code_ = nullptr;
};

/// The layout of the version that the interpreter names ("3.11.2 (main, …"); nullptr for one that
/// is not known.
const PythonLayout* python_layout(const char* version);

} // namespace detshim
