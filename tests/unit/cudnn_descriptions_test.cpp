#include "hooks/cudnn/descriptions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// What an operation graph is called in the tuning file. Numbers are those of cudnn_graph.h.
namespace {

using namespace detshim;
using namespace detshim::cudnn;

enum : int { data_type = 1, handle = 0, pointwise_mode_type = 14, floating = 4 };

/// A program that fills descriptors.
class Graph {
public:
  ~Graph() {
    for (char* descriptor : made_)
      forget_description(descriptor);
    for (char* descriptor : made_)
      delete descriptor;
  }

  char* make() { return made_.emplace_back(new char); }
  template <typename Value>
  void set(const void* descriptor, int name, int type, std::vector<Value> values) {
    describe(descriptor, static_cast<Name>(name), static_cast<Type>(type),
             static_cast<int64_t>(values.size()), values.data());
  }
  void set(const void* descriptor, int name, char* held) {
    set<void*>(descriptor, name, static_cast<int>(Type::backend_descriptor), {held});
  }
  void set(const void* descriptor, int name, std::vector<int64_t> values) {
    set<int64_t>(descriptor, name, static_cast<int>(Type::int64), std::move(values));
  }

  char* tensor(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides, int64_t id) {
    char* made = make();
    set<int>(made, 901, data_type, {2});
    set(made, 902, sizes);
    set(made, 903, strides);
    set(made, 906, {id});
    return made;
  }

  /// A convolution forward followed by a pointwise operation.
  std::string name(int64_t first_id = 1, int64_t row_stride = 56, bool other_order = false,
                   int mode = 100) {
    char* x = tensor({8, 64, 56, 56}, {200704, 3136, row_stride, 1}, first_id);
    char* y = tensor({8, 64, 28, 28}, {50176, 784, 28, 1}, first_id + 1);
    char *filter = make(), *convolution = make(), *pointwise = make();
    set(convolution, 103, {2, 2});
    set(convolution, 105, {1, 1});
    if (other_order) {
      set(filter, 705, y);
      set(filter, 704, x);
    } else {
      set(filter, 704, x);
      set(filter, 705, y);
    }
    set(filter, 702, convolution);
    char* mode_descriptor = make();
    set<int>(mode_descriptor, 0, pointwise_mode_type, {mode});
    set<float>(mode_descriptor, 6, floating, {1.5F});
    set(pointwise, 750, mode_descriptor);
    set(pointwise, 751, y);
    const Descriptor operations[] = {filter, pointwise};
    Text<problem_size> text;
    EXPECT_TRUE(describe_graph(operations, 2, text));
    return text.c_str();
  }

private:
  std::vector<char*> made_;
};

std::string name(int64_t first_id = 1, int64_t row_stride = 56, bool other_order = false,
                 int mode = 100) {
  return Graph{}.name(first_id, row_stride, other_order, mode);
}
std::string hash_in(const std::string& name) { return name.substr(name.rfind('#')); }

TEST(CudnnDescriptions, NameTheOperations) {
  const std::string said = name();
  EXPECT_EQ(said.substr(0, said.rfind('#')), "convolution_forward; pointwise ");
  EXPECT_EQ(hash_in(said).size(), 17U);
}

TEST(CudnnDescriptions, TheSameGraphIsKnownAgain) {
  EXPECT_EQ(name(), name());
  EXPECT_EQ(name(1), name(77)) << "identifiers of tensors";
  EXPECT_EQ(hash_in(name()), hash_in(name(1, 56, true))) << "the order of attributes";
}

TEST(CudnnDescriptions, AnotherGraphHasAnotherName) {
  EXPECT_NE(hash_in(name()), hash_in(name(1, 64)));
  EXPECT_NE(hash_in(name()), hash_in(name(1, 56, false, 101)));
}

TEST(CudnnDescriptions, AnUnknownOperationMakesAnUnknownGraph) {
  char unknown = 0;
  const Descriptor operations[] = {&unknown};
  Text<problem_size> text;
  EXPECT_FALSE(describe_graph(operations, 1, text));
}

TEST(CudnnDescriptions, ADescriptorThatIsGoneIsForgotten) {
  char tensor = 0, operation = 0;
  Graph graph;
  const auto describe_operation = [&](int64_t size) {
    graph.set(&tensor, 902, {size});
    graph.set(&operation, 1520, &tensor);
    const Descriptor operations[] = {&operation};
    Text<problem_size> text;
    EXPECT_TRUE(describe_graph(operations, 1, text));
    for (const void* gone : {&tensor, &operation})
      forget_description(gone);
    return std::string{text.c_str()};
  };
  const std::string first = describe_operation(8);
  EXPECT_NE(describe_operation(16), first);
  EXPECT_EQ(describe_operation(8), first);
}

TEST(CudnnDescriptions, LongOnesAreCutButToldApart) {
  const auto many = [](int64_t last) {
    Graph graph;
    std::vector<Descriptor> operations;
    for (int64_t i = 0; i < 400; ++i) {
      char* operation = graph.make();
      graph.set(operation, 1520, graph.tensor({8, 8, i == 399 ? last : 8}, {64, 8, 1}, i));
      operations.push_back(operation);
    }
    Text<problem_size> text;
    EXPECT_TRUE(describe_graph(operations.data(), 400, text));
    return std::string{text.c_str()};
  };
  EXPECT_LT(many(8).size(), problem_size);
  EXPECT_NE(hash_in(many(8)), hash_in(many(9)));
}

} // namespace
