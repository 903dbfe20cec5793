// Asks what TensorFlow's kernels ask: an operator that has two implementations, and one that
// refuses to run where the answer is yes. Loads what is named first.
#include <cstdio>
#include <dlfcn.h>

namespace tsl {
bool OpDeterminismRequired();
}

namespace {

[[gnu::noinline]] const char* scatter() {
  return tsl::OpDeterminismRequired() ? "serial" : "parallel";
}

[[gnu::noinline]] const char* timestamp() {
  return tsl::OpDeterminismRequired() ? "Timestamp cannot be called when determinism is enabled"
                                      : "time";
}

} // namespace

int main(int count, char** arguments) {
  if (count > 1 && dlopen(arguments[1], RTLD_NOW) == nullptr)
    return 1;
  std::printf("%s\n", scatter());
  std::printf("%s\n", timestamp());
}
