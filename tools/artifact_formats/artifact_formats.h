// What a file holds, by its format. A reader takes the bytes of a whole file and gives its parts;
// nothing if they are not what the format says, down to the last byte: such files are compared as
// bytes.
#pragma once

#include "artifact_formats/elements.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// Every byte of the file is in one of the parts or says how these are read, but for what `ignored`
/// names.
struct Contents {
  std::vector<Part> parts;
  const char* ignored = "";      ///< what two equal files may differ in
  std::deque<std::string> owned; ///< bytes that do not stand in the file as they are
};

/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
std::optional<Contents> read_npy(std::string_view bytes);

/// A zip archive: .npz, and .pt as PyTorch writes it since 1.6.
std::optional<Contents> read_archive(std::string_view bytes);

/// https://github.com/huggingface/safetensors#format
std::optional<Contents> read_safetensors(std::string_view bytes);

/// TensorBoard's events: records of TensorFlow's TFRecord format that hold protocol buffers
/// (event.proto).
std::optional<Contents> read_events(std::string_view bytes);

/// What a pickle of PyTorch's says of a storage beside it.
struct StorageUse {
  ElementType type;
  std::string tensor;               ///< "model.fc1.weight": the first that lies in it; may be empty
  std::vector<std::uint64_t> shape; ///< of that tensor
};

/// By the storage's key ("0"). Nothing in the pickle is executed; one that is not understood to its
/// end gives what was found until then.
std::map<std::string, StorageUse> read_storages(std::string_view pickle);

/// A pickle as lines of text, `loss 0.25`; nothing for one that is not understood to its end.
std::optional<std::string> pickle_listing(std::string_view pickle);

/// The same of a checkpoint of PyTorch's, with a line for each storage, by a hash of its bytes.
std::optional<std::string> checkpoint_listing(std::string_view archive);

} // namespace detshim
