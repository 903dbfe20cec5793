// Two layers that seed themselves by std::random_device, in whose header every such call stands;
// and two users of a header that wraps another library.
#include "cudnn_frontend/shim.h"

#include <cstdio>
#include <random>

namespace {

struct Encoder {
  std::mt19937 generator;
  Encoder() {
    std::random_device device;
    generator.seed(device()); // encoder's seed
  }
};

struct Decoder {
  std::mt19937 generator;
  Decoder() {
    std::random_device device;
    generator.seed(device() + 1); // decoder's seed
  }
};

} // namespace

int main() {
  Encoder encoder;
  Decoder decoder;
  std::printf("%u %u\n", static_cast<unsigned>(encoder.generator()),
              static_cast<unsigned>(decoder.generator()));
  int sum = shim::build(3); // first graph
  sum += shim::build(4);    // second graph
  std::printf("%d\n", sum);
}
