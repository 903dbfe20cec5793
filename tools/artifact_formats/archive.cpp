#include "artifact_formats/artifact_formats.h"
#include "support/byte_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

namespace detshim {
namespace {

// .ZIP File Format Specification (APPNOTE.TXT), 4.3
constexpr std::string_view end_signature("PK\5\6", 4), end64_signature("PK\6\6", 4);
constexpr std::string_view locator64_signature("PK\6\7", 4), entry_signature("PK\1\2", 4);
constexpr std::string_view local_signature("PK\3\4", 4);

struct Entry {
  std::string name, comment, extra;
  std::string attributes; ///< "mode 100644, ...": a file, a link or a folder, and who may read it
  std::uint64_t method = 0, check = 0, packed = 0, size = 0, offset = 0;
  bool has_descriptor = false; ///< its sizes once more, behind its data
};

struct Directory {
  std::uint64_t entries = 0, offset = 0, end = 0;
  std::string_view comment;
};

std::optional<Directory> find_directory(std::string_view bytes) {
  const std::size_t at = bytes.rfind(end_signature);
  if (at == std::string_view::npos)
    return {};
  ByteReader end(bytes.substr(at));
  end.take(10);
  Directory directory;
  directory.entries = end.number(2);
  end.take(4);
  directory.offset = end.number(4);
  directory.comment = end.take(end.number(2));
  directory.end = at;
  if (!end.is_good() || end.left() > 0)
    return {};
  constexpr std::size_t locator_size = 20;
  if (at < locator_size || !bytes.substr(at - locator_size).starts_with(locator64_signature))
    return directory;
  ByteReader locator(bytes.substr(at - locator_size));
  locator.take(8);
  directory.end = locator.number(8);
  if (directory.end >= at - locator_size)
    return {};
  ByteReader reader(bytes.substr(directory.end, at - locator_size - directory.end));
  if (reader.take(4) != end64_signature)
    return {};
  const std::uint64_t size = reader.number(8);
  if (size != reader.left())
    return {};
  reader.take(20);
  directory.entries = reader.number(8);
  reader.take(8);
  directory.offset = reader.number(8);
  return reader.is_good() ? std::optional(directory) : std::nullopt;
}

/// Extra fields: what does not fit into 32 bits; dates (NTFS, Info-ZIP), padding (PyTorch,
/// Android); others.
void read_extra(std::string_view extra, Entry& entry) {
  constexpr std::uint64_t elsewhere = 0xFFFFFFFF, zip64 = 1;
  constexpr std::uint64_t passed_over[] = {zip64, 0x000A, 0x5455, 0x5855, 0x4246, 0xD935};
  ByteReader reader(extra);
  while (reader.left() >= 4) {
    const std::string_view whole = reader.rest();
    const std::uint64_t kind = reader.number(2);
    ByteReader field(reader.take(reader.number(2)));
    if (std::ranges::count(passed_over, kind) == 0)
      entry.extra += whole.substr(0, whole.size() - reader.left());
    if (kind != zip64)
      continue;
    for (std::uint64_t* const value : {&entry.size, &entry.packed, &entry.offset})
      if (*value == elsewhere && field.left() >= 8)
        *value = field.number(8);
  }
}

std::optional<Entry> read_entry(ByteReader& reader) {
  if (reader.take(4) != entry_signature)
    return {};
  const auto system = static_cast<unsigned>(reader.number(2) >> 8);
  reader.take(2);
  const std::uint64_t flags = reader.number(2);
  Entry entry;
  entry.method = reader.number(2);
  reader.take(4);
  entry.check = reader.number(4);
  entry.packed = reader.number(4);
  entry.size = reader.number(4);
  const std::uint64_t name = reader.number(2), extra = reader.number(2), comment = reader.number(2);
  reader.take(2);
  const std::uint64_t attributes = reader.number(6); // internal ones, those of DOS, and the mode
  char text[64];
  std::snprintf(text, sizeof text, "mode %o, attributes %#x, system %u",
                static_cast<unsigned>(attributes >> 32), static_cast<unsigned>(attributes), system);
  entry.attributes = text;
  entry.offset = reader.number(4);
  entry.name = reader.take(name);
  read_extra(reader.take(extra), entry);
  entry.comment = reader.take(comment);
  entry.has_descriptor = (flags & 8) != 0;
  const bool is_encrypted = (flags & 1) != 0;
  return reader.is_good() && !is_encrypted ? std::optional(entry) : std::nullopt;
}

std::uint64_t check_value(std::string_view data) {
  return ::crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
}

/// Inflates, and holds the result to its size and check value.
std::optional<std::string> inflated(std::string_view packed, const Entry& entry) {
  constexpr std::uint64_t most_from_a_byte = 1032, largest = std::numeric_limits<uInt>::max();
  if (entry.size > packed.size() * most_from_a_byte + 64)
    return {};
  std::string result(entry.size, '\0');
  z_stream stream = {};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return {};
  int status = Z_OK;
  std::uint64_t in = 0, out = 0;
  while (status == Z_OK) {
    const auto give = static_cast<uInt>(std::min(packed.size() - in, largest));
    const auto room = static_cast<uInt>(std::min(result.size() - out, largest));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + in));
    stream.avail_in = give;
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + out);
    stream.avail_out = room;
    status = ::inflate(&stream, Z_NO_FLUSH);
    in += give - stream.avail_in;
    out += room - stream.avail_out;
    if (give == stream.avail_in && room == stream.avail_out)
      break;
  }
  ::inflateEnd(&stream);
  if (status != Z_STREAM_END || out != result.size() || check_value(result) != entry.check)
    return {};
  return result;
}

/// The entry's bytes, as they are packed. Nothing if what the directory says is not there.
std::optional<std::string_view> packed_data(std::string_view bytes, const Entry& entry) {
  if (entry.offset > bytes.size())
    return {};
  ByteReader reader(bytes.substr(entry.offset));
  if (reader.take(4) != local_signature)
    return {};
  reader.take(22);
  const std::uint64_t name = reader.number(2), extra = reader.number(2);
  if (reader.take(name) != entry.name)
    return {};
  reader.take(extra);
  const std::string_view packed = reader.take(entry.packed);
  return reader.is_good() ? std::optional(packed) : std::nullopt;
}

/// True if each byte before the directory is an entry's, and each behind it says what is in it:
/// where two archives stand one behind the other, the directory speaks of one of them.
bool covers(std::string_view bytes, std::vector<Entry> entries, const Directory& directory) {
  std::ranges::sort(entries, {}, &Entry::offset);
  std::uint64_t end = 0;
  bool may_have_descriptor = false;
  const auto begins = [&](std::uint64_t at) {
    if (at == end)
      return true;
    // Three numbers of which two may have 64 bits, and a signature that may be missing.
    const std::uint64_t between = at - end;
    return may_have_descriptor &&
           (between == 12 || between == 16 || between == 20 || between == 24);
  };
  for (const Entry& entry : entries) {
    const std::optional<std::string_view> packed = packed_data(bytes, entry);
    if (!packed || !begins(entry.offset))
      return false;
    end = static_cast<std::uint64_t>(packed->data() - bytes.data()) + packed->size();
    may_have_descriptor = entry.has_descriptor;
  }
  return begins(directory.offset);
}

/// The entry's bytes, where they stand or unpacked into `owned`.
std::optional<std::string_view> read_data(std::string_view packed, const Entry& entry,
                                          std::deque<std::string>& owned) {
  constexpr std::uint64_t stored = 0, deflated = 8;
  if (entry.method == stored)
    return entry.size == entry.packed ? std::optional(packed) : std::nullopt;
  if (entry.method != deflated)
    return {};
  std::optional<std::string> data = inflated(packed, entry);
  if (!data)
    return {};
  return owned.emplace_back(std::move(*data));
}

void add_entry(const std::string& name, std::string_view data, Contents& contents) {
  constexpr std::string_view ending = ".npy";
  if (name.ends_with(ending))
    if (const std::optional<Contents> array = read_npy(data)) {
      const std::string base = name.substr(0, name.size() - ending.size());
      for (Part part : array->parts) {
        part.named_by = part.name.empty() ? PartName::array : PartName::reader;
        part.name = part.name.empty() ? base : base + " (" + part.name + ")";
        contents.parts.push_back(std::move(part));
      }
      return;
    }
  contents.parts.push_back(raw_part(name, data));
}

/// The folder in which PyTorch puts all entries, with its slash: named after the file, so that a
/// checkpoint that was written under a temporary name keeps that. Empty for other archives.
std::string folder_of_checkpoint(const std::vector<Entry>& entries) {
  constexpr std::string_view pickle = "/data.pkl";
  for (const Entry& entry : entries) {
    if (!entry.name.ends_with(pickle))
      continue;
    const std::string folder = entry.name.substr(0, entry.name.size() - pickle.size() + 1);
    const auto is_in_it = [&](const Entry& other) {
      return other.name.starts_with(folder);
    };
    return std::ranges::all_of(entries, is_in_it) ? folder : "";
  }
  return {};
}

/// What somebody wrote beside the entries.
void add_comments(const std::vector<Entry>& entries, const Directory& directory,
                  Contents& contents) {
  std::map<std::string, std::string> by_name;
  for (const Entry& entry : entries)
    if (!entry.comment.empty())
      by_name[entry.name] = entry.comment;
  std::string all(directory.comment);
  for (const auto& [name, comment] : by_name)
    all += "\n" + name + ": " + comment;
  if (all.empty())
    return;
  contents.parts.push_back(raw_part("comments", contents.owned.emplace_back(all)));
  contents.parts.back().named_by = PartName::reader;
}

/// Since 2.1 PyTorch writes a hash of all that a checkpoint holds. A difference in the contents
/// says more, and is shown first.
void put_hash_last(Contents& contents) {
  const auto is_hash = [](const Part& part) {
    return part.named_by == PartName::file && part.name == ".data/serialization_id";
  };
  for (Part& part : contents.parts)
    part.is_hash = is_hash(part);
  std::stable_partition(contents.parts.begin(), contents.parts.end(), [](const Part& part) {
    return !part.is_hash;
  });
}

/// PyTorch keeps the storages of tensors in entries of their own, and says in a pickle what is in
/// them.
void name_storages(std::string_view pickle, Contents& contents) {
  for (const auto& [key, storage] : read_storages(pickle))
    for (Part& part : contents.parts) {
      if (part.named_by != PartName::file || part.name != "data/" + key ||
          part.bytes.size() % storage.type.size != 0)
        continue;
      part.type = storage.type;
      part.shape = byte_size(storage.type, storage.shape) == part.bytes.size()
                       ? storage.shape
                       : std::vector<std::uint64_t>{part.bytes.size() / storage.type.size};
      if (storage.tensor.empty())
        continue;
      part.name += " (" + storage.tensor + ")";
      part.named_by = PartName::tensor;
    }
}

/// All entries of the directory. Nothing where it is damaged, or does not cover the archive.
std::optional<std::vector<Entry>> read_entries(std::string_view bytes, const Directory& directory) {
  // Several entries may claim the same packed bytes: together they may not claim what no archive
  // gives.
  constexpr std::uint64_t most_from_a_byte = 1032;
  ByteReader reader(bytes.substr(directory.offset));
  std::vector<Entry> entries;
  std::uint64_t unpacked = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const std::optional<Entry> entry = read_entry(reader);
    if (!entry || __builtin_add_overflow(unpacked, entry->size, &unpacked) ||
        unpacked / most_from_a_byte > bytes.size())
      return {};
    entries.push_back(*entry);
  }
  const bool is_at_its_end = bytes.size() - reader.left() == directory.end;
  if (!is_at_its_end || !covers(bytes, entries, directory))
    return {};
  return entries;
}

using DataByName = std::map<std::string, std::string_view>;

/// Without the folder's name. Nothing where an entry is damaged, or two have one name.
std::optional<DataByName> read_all_data(std::string_view bytes, const std::vector<Entry>& entries,
                                        const std::string& folder, std::deque<std::string>& owned) {
  DataByName all;
  for (const Entry& entry : entries) {
    const std::optional<std::string_view> packed = packed_data(bytes, entry);
    const std::optional<std::string_view> data = read_data(*packed, entry, owned);
    if (!data || !all.emplace(entry.name.substr(folder.size()), *data).second)
      return {};
  }
  return all;
}

void add_attributes(const Entry& entry, const std::string& name, std::string_view data,
                    Contents& contents) {
  const bool is_damaged = check_value(data) != entry.check; // or PyTorch left the value out
  Part part = raw_part(name + " (attributes)", contents.owned.emplace_back(entry.extra));
  part.named_by = PartName::reader;
  part.type.name = entry.attributes + (is_damaged ? ", damaged" : "") + ", extra fields";
  contents.parts.push_back(std::move(part));
}

} // namespace

std::optional<Contents> read_archive(std::string_view bytes) {
  if (!bytes.starts_with(local_signature) && !bytes.starts_with(end_signature))
    return {};
  const std::optional<Directory> directory = find_directory(bytes);
  if (!directory || directory->offset > bytes.size())
    return {};
  const std::optional<std::vector<Entry>> entries = read_entries(bytes, *directory);
  if (!entries)
    return {};
  const std::string folder = folder_of_checkpoint(*entries);
  Contents contents;
  contents.ignored = folder.empty()
                         ? "order, dates, padding and compression of the archive's entries"
                         : "order, dates, padding, compression and folder of the archive's entries";
  const std::optional<DataByName> data = read_all_data(bytes, *entries, folder, contents.owned);
  if (!data)
    return {};
  for (const auto& [name, bytes_of_entry] : *data)
    add_entry(name, bytes_of_entry, contents);
  for (const Entry& entry : *entries) {
    const std::string name = entry.name.substr(folder.size());
    add_attributes(entry, name, data->at(name), contents);
  }
  add_comments(*entries, *directory, contents);
  if (folder.empty())
    return contents;
  name_storages(data->at("data.pkl"), contents);
  put_hash_last(contents);
  return contents;
}

} // namespace detshim
