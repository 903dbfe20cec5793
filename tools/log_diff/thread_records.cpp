// Decides what of a record is compared: its call site, a digest of what went in, one of what came
// out, and how often the call was made. The action and the reason code count as results. What ran
// meanwhile counts as neither. A record whose values were not written, or not read, counts as one
// without inputs.
//
// It compares keys of 64 bits: two records with the same keys are taken for equal.
#include "log_diff/thread_records.h"

#include "log_reader/counts.h"
#include "log_reader/lines.h"
#include "log_reader/open_file.h"

#include <unistd.h>

namespace detshim {
namespace {

std::string path_of(const LoggedRun& run, const Program& program) {
  return run.folder + "/" + run.files[program.file];
}

RecordKey key_of(const Call& call, const Program& program, CallSiteKeys& call_sites) {
  RecordKey key;
  key.call_site = call_sites.key_of(call, program.script_folder);
  key.section = section_of(call);
  key.has_inputs = has_inputs(call) && !has_unknown_values(call);
  key.is_of_host = is_of_host(call);
  Digest inputs, results;
  for (const Field& field : call.fields) {
    const Role role = role_of(call, field.name);
    if (role == Role::context)
      continue;
    const bool is_input = role == Role::input;
    key.has_results |= !is_input;
    Digest& digest = is_input ? inputs : results;
    digest.add(field.name);
    digest.add(field.value);
  }
  results.add(static_cast<std::uint64_t>(call.action));
  results.add(call.why);
  key.inputs = inputs.key();
  key.results = results.key();
  return key;
}

} // namespace

ThreadKeys read_keys(const LoggedRun& run, const Program& program, const PassedOver& threads,
                     CallSiteKeys& call_sites) {
  ThreadKeys keys_of;
  const OpenFile file(path_of(run, program));
  Counts counts(counts_file(run.folder, run.files[program.file]));
  if (!file || ::lseek(file.descriptor(), static_cast<off_t>(program.begin), SEEK_SET) < 0)
    return keys_of;
  RecordParser parser;
  LineSplitter splitter;
  const auto take = [&](std::string_view line) {
    const std::uint64_t offset = program.begin + splitter.line_start();
    if (offset > program.end || line.empty())
      return;
    const std::optional<Line> read = parser.parse(line);
    const Call* const record =
        read && read->process == program.number ? std::get_if<Call>(&read->record) : nullptr;
    const auto thread = record == nullptr ? threads.end() : threads.find(record->thread);
    if (thread == threads.end() || record->number <= thread->second)
      return;
    std::vector<RecordKey>& keys = keys_of[record->thread];
    if (keys.size() >= most_compared_records)
      return;
    Call call = *record;
    const std::optional<CountEntry> entry =
        call.counter ? counts.look_at(*call.counter, call.action) : std::nullopt;
    if (entry)
      call.action = entry->action;
    RecordKey key = key_of(call, program, call_sites);
    key.count = call.is_digest ? CallCount{1} : count_of(entry);
    key.offset = offset;
    keys.push_back(key);
  };
  read_lines(file.descriptor(), splitter, take, [&] {
    return program.begin + splitter.line_start() <= program.end;
  });
  return keys_of;
}

std::optional<RecordDifference::Side> read_record(const LoggedRun& run, const Program& program,
                                                  const RecordKey& key) {
  RecordParser parser;
  const std::optional<Line> line = parser.parse(line_at(path_of(run, program), key.offset));
  const Call* const call = line ? std::get_if<Call>(&line->record) : nullptr;
  if (call == nullptr)
    return std::nullopt;
  return RecordDifference::Side{*call, key.count};
}

} // namespace detshim
