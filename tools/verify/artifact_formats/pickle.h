// What a pickle of PyTorch's says of the storages beside it. Nothing in it is executed.
#pragma once

#include "verify/artifact_formats/elements.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

struct StorageUse {
  ElementType type;
  std::string tensor;               ///< "model.fc1.weight": the first that lies in it; may be empty
  std::vector<std::uint64_t> shape; ///< of that tensor
};

/// By the storage's key ("0"). A pickle that is not understood to its end gives what was found until then.
std::map<std::string, StorageUse> read_storages(std::string_view pickle);

} // namespace detshim
