#include "core/seeds/passed_seed.h"

namespace detshim {

const Module* Caller::module() const {
  if (!has_looked_for_module_) {
    has_module_ = find_module(address_, module_);
    has_looked_for_module_ = true;
  }
  return has_module_ ? &module_ : nullptr;
}

const CodeRange& Caller::function() const {
  if (!has_looked_for_function_) {
    function_ = function_at(address_);
    has_looked_for_function_ = true;
  }
  return function_;
}

} // namespace detshim
