// A double of libcudnn.so.9's backend interface: descriptors that keep what they are given, engines that are
// numbers, plans that run without a GPU. Engine 9 is nondeterministic by its notes.
//
// DOUBLE_CUDNN_VERSION   what cudnnGetVersion answers; 91900 unless it is set
// DOUBLE_MISBEHAVE:
//   engine 0 fails         running a plan of engine 0 fails with CUDNN_STATUS_EXECUTION_FAILED
//   no promises            a reduction takes no word of determinism
#include "record.h"
#include "vendor_backend.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace {

struct Descriptor {
  int type = 0;
  bool is_finalized = false;
  std::map<int, std::vector<char>> values;
  std::map<int, Descriptor> held; ///< as the real one: a copy of what it was given

  int64_t index() const {
    int64_t value = -1;
    if (const auto found = values.find(backend::engine_index); found != values.end())
      std::memcpy(&value, found->second.data(), sizeof value);
    return value;
  }
};

size_t size_of(int type) {
  return type == backend::boolean                                                      ? 1
         : type == backend::numerical_note || type == backend::reduction_operator_type ? 4
                                                                                       : 8;
}

int run(const char* function, const Descriptor& plan) {
  const int64_t index = plan.held.at(backend::plan_config).held.at(backend::config_engine).index();
  const bool fails = index == 0 && misbehaves("engine 0 fails");
  record("%s engine=%lld", function, static_cast<long long>(index));
  return fails ? backend::execution_failed : backend::success;
}

} // namespace

extern "C" {

size_t cudnnGetVersion() {
  const char* asked = std::getenv("DOUBLE_CUDNN_VERSION");
  return asked ? std::strtoul(asked, nullptr, 10) : 91900;
}

int cudnnBackendCreateDescriptor(int type, void** descriptor) {
  auto* made = new Descriptor;
  made->type = type;
  *descriptor = made;
  return backend::success;
}

int cudnnBackendDestroyDescriptor(void* descriptor) {
  *static_cast<Descriptor*>(descriptor) = {}; // its address is not used again
  return backend::success;
}

int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count, const void* elements) {
  auto& own = *static_cast<Descriptor*>(descriptor);
  if (own.is_finalized || count < 1) return backend::bad_param;
  if (name == backend::reduction_is_deterministic && misbehaves("no promises")) return backend::not_supported;
  const auto* bytes = static_cast<const char*>(elements);
  own.values[name] = {bytes, bytes + size_of(type) * static_cast<size_t>(count)};
  if (type == backend::descriptor) own.held[name] = **static_cast<Descriptor* const*>(elements);
  return backend::success;
}

int cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t requested, int64_t* returned,
                             void* elements) {
  const auto& own = *static_cast<const Descriptor*>(descriptor);
  *returned = 0;
  if (own.type == backend::engine && name == backend::engine_note) {
    if (own.index() == 9 && requested > 0) {
      *static_cast<int*>(elements) = backend::note_nondeterministic;
      *returned = 1;
    }
    return backend::success;
  }
  if (own.type == backend::engine_config && name == backend::config_knob_choices) return backend::success;
  const auto found = own.values.find(name);
  if (found == own.values.end() || requested < 1) return backend::bad_param;
  *returned = 1;
  if (type == backend::descriptor)
    **static_cast<Descriptor* const*>(elements) = own.held.at(name);
  else
    std::memcpy(elements, found->second.data(), size_of(type));
  return backend::success;
}

int cudnnBackendFinalize(void* descriptor) {
  static_cast<Descriptor*>(descriptor)->is_finalized = true;
  return backend::success;
}

int cudnnBackendExecute(void*, void* plan, void*) {
  return run("cudnnBackendExecute", *static_cast<Descriptor*>(plan));
}

int cudnnBackendPopulateCudaGraph(void*, void* plan, void*, void*) {
  return run("cudnnBackendPopulateCudaGraph", *static_cast<Descriptor*>(plan));
}

} // extern "C"
