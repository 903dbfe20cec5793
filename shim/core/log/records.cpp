// Decides which record a call goes under, and whether it begins a log. A call is looked for by
// address, then by file and offset, so a plugin that is loaded again finds its records. After 200
// values of a place, or 1,000 of an innermost frame, further calls share a record without values.
// What was only seen begins no log, but for launches, fingerprints and programs that make secrets.
//
// A pinned draw of a thread that no hook saw made is recorded nondeterministic. It cannot tell
// apart two calls whose keys of 64 bits are the same.
#include "core/log/records.h"

#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/own_stack.h"
#include "core/base/placement.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/thread_memory.h"
#include "core/identity/thread.h"
#include "core/log/call_site_files.h"
#include "core/log/call_site_text.h"
#include "core/log/folded_threads.h"
#include "core/log/line.h"
#include "core/log/log_file.h"
#include "core/log/pools.h"
#include "core/log/start.h"
#include "core/policy/options.h"
#include "core/python/frames.h"

namespace detshim {
namespace {

using log_file::line_room;

// Then further calls share one record: of a place, and of all places that share the innermost
// frame.
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
  if (value.text != nullptr)
    return mix(state, fnv1a_text(value.text));
  return mix(mix(state, value.number), value.negative ? 2 : 1);
}

/// What a thread keeps of its records.
struct ThreadRecords {
  uint32_t generation; // of the process that the rest was made for
  uint32_t written;    // so far, where `numbers` is nullptr
  RecordNumbers* numbers;
  uint64_t
      folded; // a number for the name that it shares with others; 0 where its records have its own
  Table<8> call_sites; // see call_sites_of_this_thread()
  uint32_t epoch;      // in which that was begun
  bool has_kept;       // something in KeptRecords
};
thread_local constinit ThreadRecords thread_records = {};

/// And what it keeps while objects come and go.
struct KeptRecords {
  Table<8> records;  // see kept_of_this_thread()
  Table<8> outdated; // call sites before the last turn: a function that is on its way may still
                     // read there
  void clear() {
    records.clear();
    outdated.clear();
  }
};
DETSHIM_THREAD_MEMORY KeptRecords kept_of_thread = {};

KeptRecords& kept_of(ThreadRecords& own) {
  own.has_kept = true;
  return of_this_thread(kept_of_thread);
}

void clear(ThreadRecords& own) {
  own.call_sites.clear();
  if (own.has_kept)
    of_this_thread(kept_of_thread).clear();
  own.has_kept = false;
}

/// What is remembered by address holds until an object is unloaded. Then a table that has grown is
/// begun anew: a program may load and unload plugins as long as it runs.
void turn_over(ThreadRecords& own) {
  const sys::SignalsBlocked no_signals;
  KeptRecords& kept = kept_of(own);
  kept.outdated.clear();
  kept.outdated = own.call_sites;
  own.call_sites = {};
  own.epoch = draw_epoch();
}
constexpr size_t most_outdated = 1024;

/// Those of the calling thread, which is established for this process.
ThreadRecords& own_records(const Thread& thread) {
  ThreadRecords& own = thread_records;
  if (__builtin_expect(own.generation != thread.generation, 0)) {
    const sys::SignalsBlocked no_signals;
    clear(own);
    own.written = 0;
    own.numbers = nullptr;
    PathText name;
    own.folded = fold_name(thread.path, name) ? fnv1a_text(name) : 0;
    own.epoch = draw_epoch();
    own.generation = thread.generation;
  }
  if (__builtin_expect(own.epoch != draw_epoch(), 0) && own.call_sites.used() >= most_outdated)
    turn_over(own);
  return own;
}

uint64_t next_number(ThreadRecords& own) {
  if (own.folded != 0)
    return count_folded(own.folded, 0) + 1;
  return own.numbers != nullptr ? ++own.numbers->written : ++own.written;
}

DETSHIM_STARTUP_DATA constinit Counter unwritten =
    {}; // records of Action::observe before there is a log

} // namespace

Table<8>& call_sites_of_this_thread() { return own_records(this_thread()).call_sites; }

Table<8>& kept_of_this_thread() { return kept_of(own_records(this_thread())).records; }

void number_records_in(RecordNumbers* numbers) {
  ThreadRecords& own = own_records(this_thread());
  if (own.numbers != nullptr)
    own.written = static_cast<uint32_t>(own.numbers->written);
  if (numbers != nullptr)
    numbers->written = own.written;
  own.numbers = numbers;
}

void leave_records() {
  const sys::SignalsBlocked no_signals;
  clear(thread_records);
}

namespace {

using Values = std::initializer_list<Value>;

/// By what the record of a call is found again.
struct Keys {
  uint64_t frame;  ///< of all places that share the innermost frame
  uint64_t place;  ///< with the frames behind it
  uint64_t record; ///< with the line of Python and the values

  Keys(uint64_t innermost, uint64_t behind, uint64_t line, Values values)
      : frame(innermost), place(mix(innermost, behind)), record(mix(place, line)) {
    for (const Value& value : values)
      record = mix_value(record, value);
  }
};

/// The record of all further calls of a frame or a place.
uint64_t key_of_further_values(uint64_t of) { return mix(of, 0x66756C6C); }

/// One record, by the addresses as they are now, and by the files that they lie in.
struct Choice {
  uint64_t by_address;
  uint64_t by_file;
  Reason further = Reason::none; ///< why it has no values, where it is one of further calls
  bool is_of_frame = false;      ///< it has no frames either
};

/// A call that no record was found for by address.
struct NewCall {
  const Subject& subject;
  Action action;
  const void* caller;
  Keys by_address;
  Keys by_file;
  bool is_told_apart; ///< see is_file_told_apart()
  bool is_folded;
  bool is_held; ///< the log's lock

  Choice of_further_files() const {
    const uint64_t all =
        mix(reinterpret_cast<uintptr_t>(subject.symbol), static_cast<uint64_t>(action));
    return {key_of_further_values(by_address.frame), key_of_further_values(all),
            Reason::further_files, true};
  }
  Choice of_frame() const {
    return {key_of_further_values(by_address.frame), key_of_further_values(by_file.frame),
            Reason::values_not_written, true};
  }
  Choice of_place() const {
    return {key_of_further_values(by_address.place), key_of_further_values(by_file.place),
            Reason::values_not_written};
  }
  Choice of_itself() const { return {by_address.record, by_file.record}; }
};

/// A call that was made before at that address.
Counter* counter_by_address(Table<8>& call_sites, const Keys& keys) {
  // A place that gives ever new values comes no further than here.
  for (const uint64_t key :
       {keys.record, key_of_further_values(keys.frame), key_of_further_values(keys.place)})
    if (const uint64_t* known = call_sites.find(key))
      return reinterpret_cast<Counter*>(*known);
  return nullptr;
}

Counter* counter_by_file(ThreadRecords& own, const NewCall& call, uint64_t key) {
  if (!call.is_folded) {
    const uint64_t* const known = kept_of(own).records.find(key);
    return known != nullptr ? reinterpret_cast<Counter*>(*known) : nullptr;
  }
  int64_t index = -1;
  bool is_new = false;
  return is_known_folded(own.folded, key)
             ? folded_counter(own.folded, key, call.action, index, is_new)
             : nullptr;
}

/// The record that the call goes under; its counter, where it is known since the file was loaded
/// before.
Choice choose(ThreadRecords& own, const NewCall& call, bool has_values, Counter*& counter) {
  const auto is_kept = [&](const Choice& choice) {
    return (counter = counter_by_file(own, call, choice.by_file)) != nullptr;
  };
  if (!call.is_held)
    return call.of_itself();
  if (!call.is_told_apart) {
    const Choice files = call.of_further_files();
    is_kept(files);
    return files;
  }
  for (const Choice& known : {call.of_itself(), call.of_frame(), call.of_place()})
    if (is_kept(known))
      return known;

  constexpr uint64_t use = 0x706C616365;
  const auto is_used_up = [&](uint64_t of, uint64_t limit) {
    of = mix(of, use);
    return (call.is_folded ? count_folded(own.folded, of) : kept_of(own).records.insert(of)++) >=
           limit;
  };
  if (is_used_up(call.by_file.frame, value_limit_of_a_frame))
    return call.of_frame();
  if (is_used_up(call.by_file.place, value_limit_of_a_place))
    return call.of_place();
  if (call.is_folded && has_values)
    return call.of_place(); // whose values come first is a race
  return call.of_itself();
}

void write_call(ThreadRecords& own, const NewCall& call, const Choice& choice,
                const NativeFrames& frames, const PythonCallSite& python, Why why, Values values,
                int64_t index) {
  PathText name;
  fold_name(this_thread().path, name);
  static constexpr NativeFrames none = {};
  const NativeFrames& shown = choice.is_of_frame ? none : frames;
  write_builds(call.caller, shown);
  Line line(line_room, sizeof line_room);
  RecordWriter<RecordType::call> record(line);
  record.number("n", next_number(own)).text("thread", name);
  record.text("lib", call.subject.library).text("fn", call.subject.symbol);
  record.text("do", action_names[static_cast<int>(call.action)]);
  if (choice.further == Reason::none)
    add_values(line, call.subject, values);
  const Why said = choice.further == Reason::none ? why : Why(choice.further);
  record.text("why", reason_code(said));
  if (said.rule != SeedRule::none)
    record.text("rule", seed_rule_name(said.rule));
  add_call_site(line, call.caller);
  add_frames(line, call.caller, shown);
  add_python(line, python, sizeof line_room - 500); // a pool and the counter follow
  add_pool(line);
  if (index >= 0)
    record.number("c", static_cast<uint64_t>(index));
  record.end();
  log_file::write(line);
}

/// The counter of a call that was not made before at that address, and its record, where it has
/// none.
Counter* find_or_write_record(ThreadRecords& own, const NewCall& call, const NativeFrames& frames,
                              const PythonCallSite& python, Why why, Values values) {
  Counter* counter = nullptr;
  const Choice choice = choose(own, call, values.size() != 0, counter);
  if (counter == nullptr) {
    const bool writable = call.is_held && open_log();
    int64_t index = -1;
    bool is_new = true;
    counter = call.is_folded
                  ? folded_counter(own.folded, choice.by_file, call.action, index, is_new)
                  : new_counter(call.action, index);
    if (call.is_held && !call.is_folded)
      kept_of(own).records.insert(choice.by_file) = reinterpret_cast<uintptr_t>(counter);
    if (writable && is_new)
      write_call(own, call, choice, frames, python, why, values, index);
  }
  own.call_sites.insert(choice.by_address) = reinterpret_cast<uintptr_t>(counter);
  return counter;
}

/// Of frames as Keys takes them.
uint64_t places_in_files(const NativeFrames& frames) {
  uint64_t places = 0;
  for (int i = 0; i < frames.count; ++i)
    places = mix(places, place_in_file(reinterpret_cast<const void*>(frames.addresses[i])));
  return places;
}

/// One call, and what its record says.
struct RecordedCall {
  const Subject& subject;
  Action action;
  const void* caller;
  Why why;
  Values values;

  /// Names it among the calls of a place, by an address or by a file.
  uint64_t innermost_key(uint64_t place) const {
    return mix(mix(place, reinterpret_cast<uintptr_t>(subject.symbol)),
               static_cast<uint64_t>(action));
  }

  /// By addresses as they are now. `behind`: what the frames behind are known by.
  Keys keys_by_address(const PythonCallSite& python, uint64_t behind) const {
    const uint64_t place = mix(reinterpret_cast<uintptr_t>(caller), draw_epoch());
    // A line of Python says more.
    return {innermost_key(place), python.count == 0 ? behind : 0, python.key(), values};
  }

  Keys keys_by_file(const PythonCallSite& python, const NativeFrames& frames) const {
    return {innermost_key(place_in_file(caller)), places_in_files(frames), python.key(), values};
  }
};

/// What a call says of the process, and the process of a call.
void settle(const Thread& thread, RecordedCall& call) {
  if (!call.subject.is_own)
    return;
  // What was drawn, given or let go ahead here is this process's own; what was only seen leaves its
  // name alone.
  if (call.action != Action::observe && call.action != Action::uncovered)
    mark_drawn();
  const bool is_unnamed = thread.path[0] == '?';
  if (call.action == Action::pin && is_unnamed) {
    call.action = Action::nondeterministic;
    call.why = Reason::thread_unnamed;
  }
}

/// Whether the call begins no log: what was only seen waits until something else does.
bool waits_for_a_log(const RecordedCall& call) {
  if (call.action != Action::observe || log_file::has_begun())
    return false;
  // The verdict depends on the kernels that ran, whatever else happens; and what a program that
  // makes secrets gives differs from run to run, which is to be said.
  return call.why != Reason::launched && !options().fingerprint && !makes_secrets();
}

Counter* record_with_frames(ThreadRecords& own, const RecordedCall& call, PythonCallSite& python,
                            uint64_t behind) {
  find_python_call_site(python, PythonDetail::all, python.count == 0);
  // Here, since it looks for them on the program's stack.
  NativeFrames frames;
  if (python.count == 0)
    find_native_frames(call.caller, frames);
  Counter* counter = nullptr;
  on_own_stack([&] {
    SignalSafeLock guard(log_file::lock);
    const NewCall at_new_place = {
        call.subject,
        call.action,
        call.caller,
        call.keys_by_address(python, behind),
        call.keys_by_file(python, frames),
        !guard.held() || is_file_told_apart(call.caller),
        own.folded != 0 && guard.held(),
        guard.held(),
    };
    counter = find_or_write_record(own, at_new_place, frames, python, call.why, call.values);
  });
  return counter;
}

} // namespace

Counter* record(const Subject& subject, Action action, const void* caller, Why why, Values values) {
  const Thread& thread = this_thread();
  ThreadRecords& own = own_records(thread);
  RecordedCall call = {subject, action, caller, why, values};
  settle(thread, call);
  if (waits_for_a_log(call)) {
    ++unwritten.number;
    return &unwritten;
  }
  // Looked at before any lock is taken: asking an interpreter whose frames cannot be read may run
  // its code.
  PythonCallSite python;
  find_python_call_site(python, PythonDetail::key, false);
  const uint64_t behind = python.count == 0 ? native_frames_key(caller) : 0;
  Counter* counter = counter_by_address(own.call_sites, call.keys_by_address(python, behind));
  if (counter == nullptr)
    counter = record_with_frames(own, call, python, behind);
  count(*counter);
  return counter;
}

void record_library(const char* name, const char* library_file, const char* library_version) {
  log_file::with_lock([&] {
    if (!open_log())
      return;
    Line line(line_room, sizeof line_room);
    RecordWriter<RecordType::library> record(line);
    record.text("lib", name).text("file", library_file);
    if (library_version != nullptr)
      record.text("version", library_version);
    record.end();
    log_file::write(line);
  });
}

void begin_log(const char* what) {
  if (options().off())
    return;
  log_file::with_lock([&] {
    if (!open_log())
      return;
    Line line(line_room, sizeof line_room);
    RecordWriter<RecordType::rights>(line).text("fn", what).end();
    log_file::write(line);
  });
}

void prepare_log_for(char* const argv[], bool spawns) {
  if (options().off())
    return;
  if (!spawns)
    write_counts(); // where the next program counts on
  log_file::with_lock([&] {
    if (log_file::is_within_reach())
      return;
    static constinit int said_by = 0; // once: it may try several paths
    const int me = sys::getpid();
    if (!spawns && said_by == me)
      return;
    said_by = me;
    log_file::write_lost(argv != nullptr && argv[0] != nullptr ? argv[0] : "?",
                         Reason::log_out_of_reach);
  });
}

bool has_log() {
  bool is_there = false;
  log_file::with_lock([&] {
    is_there = log_file::is_open();
  });
  return is_there;
}

void record_line(const char* text, size_t length, bool begins_log) {
  log_file::with_lock([&] {
    if (!(begins_log ? open_log() : log_file::is_open()))
      return;
    Line line(line_room, sizeof line_room);
    line.add(text, length);
    log_file::write(line);
  });
}

} // namespace detshim
