#include "snippet.h"

#include <random>

namespace {

/// False if this machine does not have the source.
bool draw_from(const char* token) {
  try {
    std::random_device device{token};
    emit(token);
    emit(device());
    emit(device());
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

} // namespace

SNIPPET {
  for (const char* token : {"default", "rdrand", "hw", "/dev/urandom", "getentropy"})
    draw_from(token);
  check(!draw_from("bogus"), "an unknown source throws");
  emit("throws");
}
