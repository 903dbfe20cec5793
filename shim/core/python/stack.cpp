#include "core/python/stack.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/hash.h"

#include <sys/uio.h>

namespace detshim {
namespace {

// cpython/Include/cpython/{pystate,frameobject,code,unicodeobject}.h and
// Include/internal/pycore_frame.h of each version, for 64-bit builds. tests/frameworks holds the
// ones that are installed to the interpreter's own answers; a wrong number makes that version's
// frames unreadable, no more.
using Position = PythonLayout::Position;
constexpr PythonLayout layouts[] = {
    {"3.9.", 24, -1, 32, 24, 104, -1, Position::bytes, 104, 112, 48},
    {"3.10.", 24, -1, 32, 24, 96, -1, Position::units, 104, 112, 48},
    {"3.11.", 56, 8, 32, 48, 56, 69, Position::pointer, 112, 120, 48},
    {"3.12.", 56, 0, 0, 8, 56, 70, Position::pointer, 112, 120, 40},
    {"3.13.", 72, -1, 0, 8, 56, 70, Position::pointer, 112, 120, 40},
    {"3.14.", 64, -1, 0, 8, 56, 74, Position::pointer, 112, 120, 40},
};

// In every version: struct _object and PyVarObject, PyTypeObject.tp_basicsize,
// PyASCIIObject.length.
constexpr uintptr_t type_of_object = 8;
constexpr uintptr_t size_of_object = 16;
constexpr uintptr_t basic_size_of_type = 32;
constexpr uintptr_t length_of_text = 16;

constexpr uintptr_t tag_bits = 7; // 3.14 marks pointers that it does not count

} // namespace

const PythonLayout* python_layout(const char* version) {
  if (sizeof(void*) != 8 || contains(version, "free-threading"))
    return nullptr;
  for (const PythonLayout& layout : layouts)
    if (starts_with(version, layout.version))
      return &layout;
  return nullptr;
}

bool PythonStack::read_bytes(uintptr_t from, void* to, size_t size) const {
  if (is_trusted_) {
    __builtin_memcpy(to, reinterpret_cast<const void*>(from), size);
    return true;
  }
  const iovec local{to, size};
  const iovec remote{reinterpret_cast<void*>(from), size};
  return sys::call(SYS_process_vm_readv, sys::getpid(), sys::address(&local), 1,
                   sys::address(&remote), 1, 0) == static_cast<long>(size);
}

bool PythonStack::begin(const void* state) {
  uintptr_t frame = 0;
  if (state == nullptr || !read(reinterpret_cast<uintptr_t>(state) + layout_->state_frame, frame))
    return false;
  if (layout_->held_frame >= 0 &&
      (frame == 0 || !read(frame + static_cast<uintptr_t>(layout_->held_frame), frame)))
    return false;
  return take(frame);
}

bool PythonStack::next() {
  uintptr_t back = 0;
  return read(frame_ + layout_->back, back) && take(back);
}

/// The frame there, or the first one behind it that runs Python code.
bool PythonStack::take(uintptr_t frame) {
  constexpr int most_between = 16;
  for (int i = 0; frame != 0 && i < most_between; ++i) {
    uint8_t owner = 0;
    if (layout_->owner >= 0 && !read(frame + static_cast<uintptr_t>(layout_->owner), owner))
      return false;
    uintptr_t code = 0;
    const void* type = nullptr;
    if (!read(frame + layout_->code, code))
      return false;
    code &= ~tag_bits;
    if (owner < 3 && code != 0) {
      if (!read(code + type_of_object, type) || type != code_type_)
        return false;
      frame_ = frame;
      code_ = reinterpret_cast<void*>(code);
      return true;
    }
    if (!read(frame + layout_->back, frame))
      return false;
  }
  return false;
}

uint64_t PythonStack::place() const {
  const auto code = reinterpret_cast<uintptr_t>(code_);
  uintptr_t position = 0;
  uint32_t number = 0;
  const bool is_pointer = layout_->position_is == Position::pointer;
  const bool is_read = is_pointer ? read(frame_ + layout_->position, position)
                                  : read(frame_ + layout_->position, number);
  if (!is_read || code == 0)
    return 0;
  return mix(code, is_pointer ? position : number) | 1;
}

int PythonStack::line() const {
  const auto code = reinterpret_cast<uintptr_t>(code_);
  if (layout_->position_is != Position::pointer) {
    int position = 0;
    if (!read(frame_ + layout_->position, position))
      return 0;
    return line_of_(code_, layout_->position_is == Position::units ? position * 2 : position);
  }
  // Instructions, of two bytes each, lie behind the code object's fixed part.
  uintptr_t position = 0, fixed = 0, units = 0;
  if (!read(frame_ + layout_->position, position) || !read(code + size_of_object, units) ||
      !read(reinterpret_cast<uintptr_t>(code_type_) + basic_size_of_type, fixed))
    return 0;
  const uintptr_t begin = code + fixed;
  const bool is_inside = position >= begin && position - begin < units * 2;
  return line_of_(code_, is_inside ? static_cast<int>(position - begin) : -1);
}

namespace {
constexpr size_t longest_text = 1024;
} // namespace

/// Whether a text of so many bytes lies there, with a zero behind it and no byte above `highest`.
bool PythonStack::is_text(uintptr_t letters, size_t length, unsigned char highest) const {
  unsigned char bytes[longest_text + 1];
  if (letters == 0 || length == 0 || length > longest_text ||
      !read_bytes(letters, bytes, length + 1) || bytes[length] != 0)
    return false;
  for (size_t i = 0; i < length; ++i)
    if (bytes[i] == 0 || bytes[i] > highest)
      return false;
  return true;
}

const char* PythonStack::text_at(uint16_t offset) const {
  uintptr_t text = 0;
  size_t length = 0;
  if (!read(reinterpret_cast<uintptr_t>(code_) + offset, text) || text == 0 ||
      !read(text + length_of_text, length) || length == 0 || length > longest_text)
    return nullptr;
  const uintptr_t letters = text + layout_->letters;
  if (is_text(letters, length, 0x7F))
    return reinterpret_cast<const char*>(letters);
  // Any other text may keep a copy in UTF-8: its length is there, and then its address.
  uintptr_t copy = 0;
  if (read(letters, length) && read(letters + 8, copy) && is_text(copy, length, 0xFF))
    return reinterpret_cast<const char*>(copy);
  const char* const utf8 = to_utf8_ != nullptr ? to_utf8_(reinterpret_cast<void*>(text)) : nullptr;
  return utf8 != nullptr ? utf8 : no_utf8;
}

} // namespace detshim
