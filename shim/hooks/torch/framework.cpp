#include "hooks/torch/framework.h"

#include "common/record_schema.h"

namespace detshim::torch {
namespace {

/// What PyTorch was asked for.
struct Asked {
  Request request = Request::none;
  bool only_warns = false; ///< Python was told that operators only warn
};
constinit Asked asked = {};

struct Recorded {
  uint32_t generation;
  bool answers[2];
};
constinit Recorded recorded = {~0U, {}};

} // namespace

Request request() {
  Request now;
  __atomic_load(&asked.request, &now, __ATOMIC_RELAXED);
  return now;
}

void note_request(bool on, bool warn_only) {
  const bool gives_back = on && warn_only && request() != Request::errors && options().forces() &&
                          __atomic_load_n(&asked.only_warns, __ATOMIC_RELAXED);
  if (gives_back)
    return;
  Request now = !on ? Request::none : warn_only ? Request::warn_only : Request::errors;
  __atomic_store(&asked.request, &now, __ATOMIC_RELAXED);
}

bool tell_python_warn_only() {
  const bool warns = !options().strict() && request() != Request::errors;
  if (warns)
    __atomic_store_n(&asked.only_warns, true, __ATOMIC_RELAXED);
  return warns;
}

void record_framework(const Hook& hook, bool deterministic) {
  // Two threads may both write it: the reader takes it as it takes one.
  if (recorded.generation == generation() && recorded.answers[deterministic])
    return;
  if (recorded.generation != generation())
    recorded = {generation(), {}};
  recorded.answers[deterministic] = true;
  Module module;
  if (!find_module(hook.real, module))
    return;
  char path[600];
  module_path(module, path, sizeof path);
  Text<1000> line;
  RecordWriter<RecordType::framework>(line)
      .text("name", "torch")
      .text("file", path, 600)
      .flag("deterministic", deterministic)
      .text("by", options().forces() ? "detshim" : "program")
      .end();
  record_line(line.c_str(), line.length(), options().forces());
}

} // namespace detshim::torch
