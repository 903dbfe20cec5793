#include "core/log/records.h"

#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/placement.h"
#include "core/base/python_frames.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/thread.h"
#include "core/log/call_site_text.h"
#include "core/log/folded_threads.h"
#include "core/log/line.h"
#include "core/log/log_file.h"
#include "core/log/pools.h"
#include "core/log/start.h"
#include "core/policy/options.h"

namespace detshim {
namespace {

using log_file::line_room;

// Then further calls share one record: of a place, and of all places that share the innermost frame.
constexpr int value_limit_of_a_place = 200, value_limit_of_a_frame = 1000;

void add_values(Line& line, const Subject& subject, std::initializer_list<Value> values) {
  int i = 0;
  for (const Value& value : values) {
    line.add(",\"").add(subject.fields[i++]).add("\":\"");
    if (value.text != nullptr)
      line.add_json(value.text, 200);
    else
      line.add(value.negative ? "-" : "").add(value.number);
    line.add('"');
  }
}

uint64_t mix_value(uint64_t state, const Value& value) {
  if (value.text != nullptr) return mix(state, fnv1a_text(value.text));
  return mix(mix(state, value.number), value.negative ? 2 : 1);
}

/// What a thread keeps of its records.
struct ThreadRecords {
  uint32_t generation; // of the process that the rest was made for
  uint32_t written;    // so far, where `numbers` is nullptr
  RecordNumbers* numbers;
  uint64_t folded; // a number for the name that it shares with others; 0 where its records have its own
  Table<8> places; // see call_sites_of_this_thread()
};
thread_local constinit ThreadRecords thread_records = {};

/// Those of the calling thread, which is established for this process.
ThreadRecords& records_of(const Thread& thread) {
  ThreadRecords& own = thread_records;
  if (__builtin_expect(own.generation != thread.generation, 0)) {
    const sys::SignalsBlocked no_signals;
    own.places.clear();
    own.written = 0;
    own.numbers = nullptr;
    PathText name;
    own.folded = fold_name(thread.path, name) ? fnv1a_text(name) : 0;
    own.generation = thread.generation;
  }
  return own;
}

uint64_t next_number(ThreadRecords& own) {
  if (own.folded != 0) return count_folded(own.folded, 0) + 1;
  return own.numbers != nullptr ? ++own.numbers->written : ++own.written;
}

DETSHIM_STARTUP_DATA constinit Counter unwritten = {}; // records of Action::observe before there is a log

} // namespace

Table<8>& call_sites_of_this_thread() { return records_of(this_thread()).places; }

void number_records_in(RecordNumbers* numbers) {
  ThreadRecords& own = records_of(this_thread());
  if (own.numbers != nullptr) own.written = static_cast<uint32_t>(own.numbers->written);
  if (numbers != nullptr) numbers->written = own.written;
  own.numbers = numbers;
}

void leave_records() {
  const sys::SignalsBlocked no_signals;
  thread_records.places.clear();
}

Counter* record(const Subject& subject, Action action, const void* caller, Reason why,
                std::initializer_list<Value> values) {
  const Thread& thread = this_thread();
  ThreadRecords& own = records_of(thread);
  // What was drawn, given or let go ahead here is this process's own; what was only seen leaves its name
  // alone.
  if (subject.is_own && action != Action::observe && action != Action::uncovered) mark_drawn();
  if (subject.is_own && action == Action::pin && thread.path[0] == '?') {
    action = Action::nondeterministic;
    why = Reason::thread_unnamed;
  }
  // The verdict goes by the kernels that ran, whatever else happens; and what a program that makes secrets
  // gives differs from run to run, which is to be said.
  if (action == Action::observe && !log_file::has_begun() && why != Reason::launched &&
      !options().fingerprint && !makes_secrets()) {
    ++unwritten.number;
    return &unwritten;
  }
  const uint64_t innermost =
      mix(mix(reinterpret_cast<uintptr_t>(caller), reinterpret_cast<uintptr_t>(subject.symbol)),
          static_cast<uint64_t>(action) | uint64_t{draw_epoch()} << 8);
  // Looked at before any lock is taken: asking an interpreter whose frames cannot be read may run its code.
  PythonCallSite python;
  find_python_call_site(python, PythonDetail::key, false);
  const uint64_t frames_key = python.count == 0 ? native_frames_key(caller) : 0; // a line of Python says more
  const auto place_here = [&] { return mix(innermost, python.count == 0 ? frames_key : 0); };
  const auto key_here = [&] {
    uint64_t key = mix(place_here(), python.key());
    for (const Value& value : values) key = mix_value(key, value);
    return key;
  };
  uint64_t key = key_here();
  if (const uint64_t* known = own.places.find(key)) {
    auto* counter = reinterpret_cast<Counter*>(*known);
    count(*counter);
    return counter;
  }
  // A place that gives ever new values comes no further than here.
  constexpr uint64_t use = 0x706C616365, further = 0x66756C6C;
  for (const uint64_t of : {innermost, place_here()})
    if (const uint64_t* known = own.places.find(mix(of, further))) {
      auto* counter = reinterpret_cast<Counter*>(*known);
      count(*counter);
      return counter;
    }
  find_python_call_site(python, PythonDetail::all, python.count == 0);
  key = key_here();

  SignalSafeLock guard(log_file::lock);
  const bool is_folded = own.folded != 0 && guard.held();
  const auto is_used_up = [&](uint64_t of, uint64_t limit) {
    of = mix(of, use);
    return (is_folded ? count_folded(own.folded, of) : own.places.insert(of)++) >= limit;
  };
  bool full = is_folded && values.size() != 0; // whose values come first is a race
  if (full) key = mix(place_here(), further);
  bool frame_is_full = false;
  if (!is_folded || !is_known_folded(own.folded, key)) {
    frame_is_full = is_used_up(innermost, value_limit_of_a_frame);
    full |= frame_is_full || is_used_up(place_here(), value_limit_of_a_place);
    if (full) key = mix(frame_is_full ? innermost : place_here(), further);
  }
  if (full) why = Reason::values_not_written;

  const bool writable = guard.held() && open_log();
  int64_t index = -1;
  bool is_new = true;
  Counter* counter =
      is_folded ? folded_counter(own.folded, key, action, index, is_new) : new_counter(action, index);
  own.places.insert(key) = reinterpret_cast<uintptr_t>(counter);
  if (writable && is_new) {
    PathText name;
    fold_name(thread.path, name);
    NativeFrames frames;
    if (python.count == 0 && !frame_is_full) find_native_frames(caller, frames);
    write_builds(caller, frames);
    Line line(line_room, sizeof line_room);
    RecordWriter<RecordType::call> record(line);
    record.number("n", next_number(own)).text("thread", name);
    record.text("lib", subject.library).text("fn", subject.symbol);
    record.text("do", action_names[static_cast<int>(action)]);
    if (!full) add_values(line, subject, values);
    record.text("why", reason_code(why));
    add_call_site(line, caller);
    add_frames(line, caller, frames);
    add_python(line, python, sizeof line_room - 500); // a pool and the counter follow
    add_pool(line);
    if (index >= 0) record.number("c", static_cast<uint64_t>(index));
    record.end();
    log_file::write(line);
  }
  count(*counter);
  return counter;
}

void record_library(const char* name, const char* library_file, const char* library_version) {
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || !open_log()) return;
  Line line(line_room, sizeof line_room);
  RecordWriter<RecordType::library> record(line);
  record.text("lib", name).text("file", library_file);
  if (library_version != nullptr) record.text("version", library_version);
  record.end();
  log_file::write(line);
}

void begin_log(const char* what) {
  if (options().off()) return;
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || !open_log()) return;
  Line line(line_room, sizeof line_room);
  RecordWriter<RecordType::rights>(line).text("fn", what).end();
  log_file::write(line);
}

void prepare_log_for(char* const argv[], bool spawns) {
  if (options().off()) return;
  if (!spawns) write_counts(); // where the next program counts on
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || log_file::is_within_reach()) return;
  static constinit int said_by = 0; // once: it may try several paths
  if (const int me = sys::getpid(); !spawns && said_by == me)
    return;
  else
    said_by = me;
  log_file::write_lost(argv != nullptr && argv[0] != nullptr ? argv[0] : "?", Reason::log_out_of_reach);
}

bool has_log() {
  SignalSafeLock guard(log_file::lock);
  return guard.held() && log_file::is_open();
}

void record_line(const char* text, size_t length, bool begins_log) {
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || !(begins_log ? open_log() : log_file::is_open())) return;
  Line line(line_room, sizeof line_room);
  line.add(text, length);
  log_file::write(line);
}

} // namespace detshim
