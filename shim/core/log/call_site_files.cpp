// Decides whether two places lie in one file: by its path and its build id, or without an id by the
// layout of its segments. Records name 256 files; places in further ones are not told apart.
//
// It cannot tell apart two builds without an id that lie under one path and are laid out alike.
#include "core/log/call_site_files.h"

#include "core/base/hash.h"

namespace detshim {
namespace {

/// As many as a program of many libraries loads at once.
constexpr unsigned most_files = 256;

struct FilesOfRecords {
  uint64_t hashes[most_files];
  unsigned count;
};
constinit FilesOfRecords files_of_records = {};

uint64_t hash_of_bytes(const void* data, size_t size, uint64_t state) {
  const auto* const bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i)
    state = (state ^ bytes[i]) * 0x100000001B3; // FNV-1a
  return state;
}

/// One without a build id is told by how it is laid out.
uint64_t file_of(const Module& module) {
  const uint64_t path = fnv1a_text(module.path);
  size_t length = 0;
  if (const unsigned char* const id = build_id(module, length))
    return hash_of_bytes(id, length, path);
  const size_t size = static_cast<size_t>(module.header_count) * sizeof *module.headers;
  return module.headers != nullptr ? hash_of_bytes(module.headers, size, path) : path;
}

bool is_known(uint64_t file) {
  for (unsigned i = 0; i < files_of_records.count; ++i)
    if (files_of_records.hashes[i] == file)
      return true;
  return false;
}

} // namespace

uint64_t place_in_file(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  Module module;
  if (!find_module(address, module))
    return mix(at, 0);
  return mix(file_of(module), at - module.base);
}

bool is_file_told_apart(const void* address) {
  Module module;
  return files_of_records.count < most_files || !find_module(address, module) ||
         is_known(file_of(module));
}

bool note_file_of_records(const Module& module) {
  const uint64_t file = file_of(module);
  if (files_of_records.count == most_files || is_known(file))
    return false;
  files_of_records.hashes[files_of_records.count++] = file;
  return true;
}

} // namespace detshim
