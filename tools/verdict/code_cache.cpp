#include "verdict/code_cache.h"

#include <optional>

#include <sys/stat.h>

namespace detshim {
namespace {

constexpr std::uint64_t worth_keeping = 256 << 10; // bytes: a smaller file is read again in a moment

// The structs are taken apart whole, so that a member that comes to them later does not compile until it is
// kept as well. What is kept must follow from the file and its name alone.

std::string pack(const CudaSymbols& symbols) {
  const auto& [file, library, copies, unknown, asks_for, links_kernels, has_kernels, has_symbol_table,
               names_random_device] = symbols;
  Packer packer;
  packer.add(library);
  packer.add(copies.size());
  for (const auto& [of_library, first, functions] : copies) {
    packer.add(of_library);
    packer.add(first);
    packer.add(functions);
  }
  packer.add(unknown.size());
  for (const std::string& name : unknown) packer.add(name);
  packer.add(asks_for.size());
  for (const std::string& name : asks_for) packer.add(name);
  packer.add(links_kernels ? 1 : 0);
  packer.add(has_kernels ? 1 : 0);
  packer.add(has_symbol_table ? 1 : 0);
  packer.add(names_random_device ? 1 : 0);
  return packer.text();
}

std::optional<CudaSymbols> unpack_symbols(const std::string& file, const std::string& text) {
  Unpacker unpacker(text);
  CudaSymbols symbols;
  symbols.file = file;
  symbols.library = unpacker.text();
  for (std::uint64_t left = unpacker.number(); left > 0 && !unpacker.is_spent(); --left) {
    LinkedCopy copy;
    copy.library = unpacker.text();
    copy.first = unpacker.text();
    copy.functions = unpacker.number();
    symbols.copies.push_back(std::move(copy));
  }
  for (std::uint64_t left = unpacker.number(); left > 0 && !unpacker.is_spent(); --left)
    symbols.unknown.push_back(unpacker.text());
  for (std::uint64_t left = unpacker.number(); left > 0 && !unpacker.is_spent(); --left)
    symbols.asks_for.insert(unpacker.text());
  symbols.links_kernels = unpacker.number() != 0;
  symbols.has_kernels = unpacker.number() != 0;
  symbols.has_symbol_table = unpacker.number() != 0;
  symbols.names_random_device = unpacker.number() != 0;
  return unpacker.is_good() ? std::optional(std::move(symbols)) : std::nullopt;
}

std::string pack(const FileScan& scan) {
  const auto& [file, not_covered, left_alone, places, undecoded] = scan;
  Packer packer;
  packer.add(not_covered);
  packer.add(left_alone);
  packer.add(places.size());
  for (const auto& [offset, kind, function] : places) {
    packer.add(offset);
    packer.add(static_cast<std::uint64_t>(kind));
    packer.add(function);
  }
  packer.add(undecoded);
  return packer.text();
}

std::optional<FileScan> unpack_scan(const std::string& file, const std::string& text) {
  Unpacker unpacker(text);
  FileScan scan;
  scan.file = file;
  scan.not_covered = unpacker.text();
  scan.left_alone = unpacker.text();
  for (std::uint64_t left = unpacker.number(); left > 0 && !unpacker.is_spent(); --left) {
    FoundPlace place;
    place.offset = unpacker.number();
    place.kind = static_cast<DrawKind>(unpacker.number());
    place.function = unpacker.text();
    scan.places.push_back(std::move(place));
  }
  scan.undecoded = unpacker.number();
  return unpacker.is_good() ? std::optional(std::move(scan)) : std::nullopt;
}

/// What is kept, or else what `find_out` gives, which is kept then.
template <typename Result>
Result kept_or_new(const FileCache& cache, const char* kind, const ElfFile& file,
                   std::optional<Result> (*unpack)(const std::string&, const std::string&),
                   Result (*find_out)(const ElfFile&)) {
  struct stat before;
  if (::fstat(file.descriptor(), &before) != 0 || static_cast<std::uint64_t>(before.st_size) < worth_keeping)
    return find_out(file);
  if (const std::optional<std::string> text = cache.find(kind, file.path(), before, file.build_id()))
    if (std::optional<Result> result = unpack(file.path(), *text)) return *std::move(result);
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
  return kept_or_new<CudaSymbols>(cache_, "symbols", file, unpack_symbols, read_cuda_symbols);
}

FileScan CodeCache::code(const ElfFile& file) const {
  return kept_or_new<FileScan>(cache_, "code", file, unpack_scan, scan_code);
}

} // namespace detshim
