// A small training program like many: a perceptron with one hidden layer learns to tell two spirals apart.
//
// It is random in the usual places. The weights come from std::random_device, the order of the samples from
// rand() after srand(time), and the dropout mask from a cuRAND generator, or from /dev/urandom where cuRAND
// was not found. So every run ends with another loss. Nothing in here knows of detshim.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <vector>

#ifdef EXAMPLE_HAS_CURAND
#include <curand.h>
#endif

namespace {

constexpr int hidden = 24;
constexpr int epochs = 60;
constexpr float rate = 0.05f;
constexpr float dropout = 0.1f;

struct Sample {
  float x, y, label;
};

/// Two spirals, always the same ones.
std::vector<Sample> make_data() {
  std::vector<Sample> data;
  for (int i = 0; i < 200; ++i) {
    const float angle = static_cast<float>(i) * 0.03f;
    const float radius = 0.1f + angle * 0.15f;
    const float x = radius * std::cos(angle);
    const float y = radius * std::sin(angle);
    data.push_back({x, y, 1.0f});
    data.push_back({-x, -y, 0.0f});
  }
  return data;
}

#ifdef EXAMPLE_HAS_CURAND
/// Uniform numbers from cuRAND, on the host.
class Uniform {
public:
  Uniform() {
    if (curandCreateGeneratorHost(&generator_, CURAND_RNG_PSEUDO_PHILOX4_32_10) != CURAND_STATUS_SUCCESS ||
        curandSetPseudoRandomGeneratorSeed(generator_, std::random_device{}()) != CURAND_STATUS_SUCCESS) {
      std::fprintf(stderr, "cuRAND cannot be used\n");
      std::exit(1);
    }
  }
  ~Uniform() { curandDestroyGenerator(generator_); }
  void fill(std::vector<float>& numbers) {
    curandGenerateUniform(generator_, numbers.data(), numbers.size());
  }

private:
  curandGenerator_t generator_ = nullptr;
};
#else
/// Uniform numbers from the kernel.
class Uniform {
public:
  void fill(std::vector<float>& numbers) {
    std::vector<unsigned char> bytes(numbers.size());
    device_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    for (size_t i = 0; i < bytes.size(); ++i) numbers[i] = static_cast<float>(bytes[i]) / 256.0f;
  }

private:
  std::ifstream device_{"/dev/urandom", std::ios::binary};
};
#endif

class Network {
public:
  Network() {
    std::mt19937 engine(std::random_device{}());
    std::normal_distribution<float> normal(0.0f, 0.8f);
    for (int i = 0; i < hidden; ++i) {
      weight_x_[i] = normal(engine);
      weight_y_[i] = normal(engine);
      bias_[i] = normal(engine);
      out_[i] = normal(engine) * 0.3f;
    }
  }

  /// One step of gradient descent on one sample, with a uniform number for each hidden unit; the loss before
  /// it.
  float train(const Sample& sample, const float* uniform) {
    std::array<float, hidden> mask, activation;
    float sum = out_bias_;
    for (int i = 0; i < hidden; ++i) {
      mask[i] = uniform[i] < dropout ? 0.0f : 1.0f / (1.0f - dropout);
      activation[i] = std::tanh(weight_x_[i] * sample.x + weight_y_[i] * sample.y + bias_[i]) * mask[i];
      sum += out_[i] * activation[i];
    }
    const float probability = 1.0f / (1.0f + std::exp(-sum));
    const float error = probability - sample.label;
    for (int i = 0; i < hidden; ++i) {
      const float unmasked = mask[i] > 0.0f ? activation[i] / mask[i] : 0.0f;
      const float slope = error * out_[i] * mask[i] * (1.0f - unmasked * unmasked);
      out_[i] -= rate * error * activation[i];
      weight_x_[i] -= rate * slope * sample.x;
      weight_y_[i] -= rate * slope * sample.y;
      bias_[i] -= rate * slope;
    }
    out_bias_ -= rate * error;
    const float right = sample.label > 0.5f ? probability : 1.0f - probability;
    return -std::log(std::max(right, 1e-7f));
  }

private:
  std::array<float, hidden> weight_x_, weight_y_, bias_, out_;
  float out_bias_ = 0.0f;
};

} // namespace

int main() {
  std::srand(static_cast<unsigned>(std::time(nullptr)));
  std::vector<Sample> data = make_data();
  Uniform uniform;
  Network network;
  std::vector<float> uniforms(data.size() * hidden); // of an epoch
  double loss = 0.0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (size_t i = data.size() - 1; i > 0; --i)
      std::swap(data[i], data[static_cast<size_t>(std::rand()) % (i + 1)]);
    loss = 0.0;
    uniform.fill(uniforms);
    for (size_t i = 0; i < data.size(); ++i) loss += network.train(data[i], &uniforms[i * hidden]);
    loss /= static_cast<double>(data.size());
  }
  std::printf("final loss %.9f\n", loss);
}
