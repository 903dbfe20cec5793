// libFuzzer's target for the log reader: bytes as records, and, where they begin with "F", as a
// folder with a counts file. Whatever they hold, reading ends, and nothing comes out that a
// terminal would obey.
#include "log_reader/lines.h"
#include "log_reader/log.h"
#include "log_reader/record.h"
#include "log_reader/summary.h"
#include "memory_folder.h"
#include "support/wording.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace detshim;

void check_printable(std::string_view text) {
  for (const char c : printable(text))
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
      std::abort();
}

void check(const Call& call) {
  for (const std::string* text : {&call.thread, &call.library, &call.function, &call.why, &call.at})
    check_printable(*text);
  for (const Field& field : call.fields)
    check_printable(field.value);
}

void read_as_records(std::string_view bytes) {
  static RecordParser parser;
  LineSplitter splitter;
  FoldedCalls folded;
  const auto take = [&folded](std::string_view line) {
    const std::optional<Line> read = parser.parse(line);
    const Call* const call = read ? std::get_if<Call>(&read->record) : nullptr;
    if (call == nullptr)
      return;
    check(*call);
    folded.of(*call).add(*call, {1, true});
  };
  // In two parts: a line may arrive in pieces.
  splitter.feed(bytes.substr(0, bytes.size() / 2), take);
  splitter.feed(bytes.substr(bytes.size() / 2), take);
  if (splitter.length() != bytes.size())
    std::abort();
}

const MemoryFolder folder;

/// Records up to a zero byte, counts behind it.
void read_as_folder(std::string_view bytes) {
  const std::size_t end = bytes.find('\0');
  folder.write("0-0-1.jsonl", bytes.substr(0, end));
  folder.write("0-0-1.counts", end == std::string_view::npos ? "" : bytes.substr(end + 1));
  const Log log = read_log(folder.name());
  summarise(log);
  std::uint64_t records = 0, read_again = 0;
  for (const Process& process : log.processes)
    records += process.calls;
  each_record(log, [&](const Process&, const Call& call, const CallCount&) {
    check(call);
    ++read_again;
  });
  if (records != read_again)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('F'))
    read_as_folder(bytes.substr(1));
  else
    read_as_records(bytes);
  return 0;
}
