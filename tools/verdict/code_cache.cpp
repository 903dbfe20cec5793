#include "verdict/code_cache.h"

#include <nlohmann/json.hpp>

#include <optional>

#include <sys/stat.h>

namespace detshim {

using Json = nlohmann::json;

// What is kept must follow from the file and its name alone. The structs are taken apart whole, so that a
// member that comes to them later does not compile until it is kept as well.

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinkedCopy, library, first, functions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FoundPlace, offset, kind, function)

void to_json(Json& json, const CudaSymbols& symbols) {
  const auto& [file, library, copies, unknown, asks_for, links, kernels, table, random_device] = symbols;
  json = {library, copies, unknown, asks_for, links, kernels, table, random_device};
}

void from_json(const Json& json, CudaSymbols& symbols) {
  auto& [file, library, copies, unknown, asks_for, links, kernels, table, random_device] = symbols;
  json.at(0).get_to(library);
  json.at(1).get_to(copies);
  json.at(2).get_to(unknown);
  json.at(3).get_to(asks_for);
  json.at(4).get_to(links);
  json.at(5).get_to(kernels);
  json.at(6).get_to(table);
  json.at(7).get_to(random_device);
}

void to_json(Json& json, const FileScan& scan) {
  const auto& [file, not_covered, left_alone, places, undecoded] = scan;
  json = {not_covered, left_alone, places, undecoded};
}

void from_json(const Json& json, FileScan& scan) {
  auto& [file, not_covered, left_alone, places, undecoded] = scan;
  json.at(0).get_to(not_covered);
  json.at(1).get_to(left_alone);
  json.at(2).get_to(places);
  json.at(3).get_to(undecoded);
}

namespace {

constexpr std::uint64_t worth_keeping = 256 << 10; // bytes: a smaller file is read again in a moment

std::string pack(const Json& json) {
  std::string text;
  Json::to_cbor(json, text);
  return text;
}

template <typename Result>
std::optional<Result> unpack(const std::string& file, const std::string& text) {
  try {
    Result result = Json::from_cbor(text).get<Result>();
    result.file = file;
    return result;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

/// What is kept, or else what `find_out` gives, which is kept then.
template <typename Result>
Result kept_or_new(const FileCache& cache, const char* kind, const ElfFile& file,
                   Result (*find_out)(const ElfFile&)) {
  struct stat before;
  if (::fstat(file.descriptor(), &before) != 0 || static_cast<std::uint64_t>(before.st_size) < worth_keeping)
    return find_out(file);
  if (const std::optional<std::string> text = cache.find(kind, file.path(), before, file.build_id()))
    if (std::optional<Result> result = unpack<Result>(file.path(), *text)) return *std::move(result);
  Result result = find_out(file);
  struct stat after; // of the same descriptor: it must not have been written to meanwhile
  if (::fstat(file.descriptor(), &after) == 0 && before.st_size == after.st_size &&
      before.st_ctim.tv_sec == after.st_ctim.tv_sec && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
    cache.keep(kind, file.path(), before, file.build_id(), pack(result));
  return result;
}

} // namespace

CodeCache::CodeCache() : cache_(decoder_version()) {}

CudaSymbols CodeCache::cuda_symbols(const ElfFile& file) const {
  return kept_or_new<CudaSymbols>(cache_, "symbols", file, read_cuda_symbols);
}

FileScan CodeCache::code(const ElfFile& file) const {
  return kept_or_new<FileScan>(cache_, "code", file, scan_code);
}

} // namespace detshim
