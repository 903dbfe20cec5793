#include "core/fingerprint/output_digests.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/base/placement.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/thread_memory.h"
#include "core/identity/thread.h"
#include "core/log/call_site_text.h"
#include "core/log/log_file.h"
#include "core/log/records.h"
#include "core/log/start.h"

namespace detshim {
namespace {

/// A thread or a stream that has digests: its number of records, and its name for who writes after
/// it.
struct Source {
  uint32_t generation; // of the process; 0: free
  uint64_t stream;     // 0: a thread
  RecordNumbers numbers;
  PathText path;
};

/// What a thread has drawn from our streams.
struct Drawn {
  uint64_t number, hash;
};
DETSHIM_THREAD_MEMORY Drawn drawn_of_thread = {};

constinit uint64_t launches = 0; // in this process and its parents

} // namespace

struct DigestSequence {
  uint32_t generation; // of the process; 0: free
  bool is_changing;    // by a thread that a signal handler has interrupted
  bool is_left;        // its thread has ended
  uint32_t held;       // copies under way
  Source* source;
  const HookInfo* function;
  const char* to;
  uint64_t key_in_stream; // 0: a thread's
  uint64_t number;        // of digests so far
  uint64_t written;       // of those that are in records
  uint64_t next;          // the number at which the next record is written
  // Of those since:
  uint64_t bytes, hash, unread, inputs;
  bool lacks_inputs; // at least one of them
  Reason why_unread;
  DigestMoment last;
  char shape[200];
  char call_site[1900]; // as the record has it
};

namespace {

constexpr size_t most_sequences = 8192, most_sources = 4096;
constexpr uint64_t written_alone =
    256; // then a record represents a thirty-second of those before it

/// Slots from the first on; those behind the last that was ever used are not touched. The last of
/// all is kept for what finds no room.
template <typename Slot, size_t Count>
struct Slots {
  size_t used;
  Slot slots[Count];

  Slot* begin() { return slots; }
  Slot* end() { return slots + __atomic_load_n(&used, __ATOMIC_ACQUIRE); }
  Slot& last() { return slots[Count - 1]; }

  /// With the log's lock held; nullptr if no slot is free.
  Slot* free_one() {
    for (Slot& slot : *this)
      if (&slot != &last() && slot.generation != generation())
        return &slot; // no process has generation 0
    if (used >= Count - 1)
      return nullptr;
    __atomic_store_n(&used, used + 1, __ATOMIC_RELEASE);
    return &slots[used - 1];
  }
  Slot& take_last() { return __atomic_store_n(&used, Count, __ATOMIC_RELEASE), last(); }
};

struct Memory {
  DigestSequence* overflow; ///< the last of all, once it was needed
  Slots<DigestSequence, most_sequences> sequences;
  Slots<Source, most_sources> sources;
};
// Had when it is first needed: most processes take no fingerprints.
DETSHIM_STARTUP_DATA constinit Memory* memory = nullptr;

constexpr uint64_t source_key = 0x7072696E746572;

Source* source_of_this_thread() {
  Table<8>& kept = kept_of_this_thread();
  if (const uint64_t* known = kept.find(source_key))
    return reinterpret_cast<Source*>(*known);
  Source* const source = memory->sources.free_one();
  if (source == nullptr)
    return nullptr;
  source->generation = generation();
  source->stream = 0;
  __builtin_memcpy(source->path, this_thread().path, sizeof source->path);
  number_records_in(&source->numbers);
  kept.insert(source_key) = reinterpret_cast<uintptr_t>(source);
  return source;
}

/// Streams are numbered as they first have a digest.
Source* source_of_stream(uint64_t stream) {
  unsigned number = 1;
  for (Source& source : memory->sources) {
    if (source.generation != generation() || source.stream == 0)
      continue;
    if (source.stream == stream)
      return &source;
    ++number;
  }
  Source* const source = memory->sources.free_one();
  if (source == nullptr)
    return nullptr;
  *source = {};
  source->generation = generation();
  source->stream = stream;
  TextWriter(source->path, sizeof source->path).add("stream ").add(uint64_t{number}).c_str();
  return source;
}

/// Of threads and streams for which there is no room.
Source& nameless_source() {
  Source& source = memory->sources.take_last();
  source = {};
  source.generation = generation();
  TextWriter(source.path, sizeof source.path).add('?').c_str();
  return source;
}

void describe_call_site(DigestSequence& sequence, const void* caller,
                        const PythonCallSite& python) {
  NativeFrames frames;
  if (python.count == 0)
    find_native_frames(caller, frames);
  write_builds(caller, frames, false);
  Line line(log_file::line_room, sizeof log_file::line_room);
  add_call_site(line, caller);
  const size_t without_frames = line.length();
  add_frames(line, caller, frames);
  add_python(line, python, sizeof sequence.call_site);
  if (line.length() >= sizeof sequence.call_site)
    line.shorten(without_frames);
  if (line.length() >= sizeof sequence.call_site)
    line.shorten(0);
  __builtin_memcpy(sequence.call_site, line.c_str(), line.length() + 1);
}

/// In which way something is handed out.
struct Way {
  const HookInfo& function;
  const char* to;
  uint64_t stream = 0; // 0: a thread's
  const char* shape = "";
};

/// With the log's lock held.
DigestSequence* make_sequence(const Way& way, const void* caller, const PythonCallSite& python) {
  if (memory == nullptr)
    memory = static_cast<Memory*>(sys::map(sizeof(Memory)));
  if (memory == nullptr || !open_log())
    return nullptr;
  Source* source = way.stream != 0 ? source_of_stream(way.stream) : source_of_this_thread();
  DigestSequence* sequence = source != nullptr ? memory->sequences.free_one() : nullptr;
  if (sequence == nullptr) {
    sequence = &memory->sequences.take_last(); // in the name of the first that found no room
    if (sequence->generation == generation())
      return sequence;
    memory->overflow = sequence;
    if (source == nullptr)
      source = &nameless_source();
  }
  *sequence = {};
  sequence->source = source;
  sequence->function = &way.function;
  sequence->to = way.to;
  TextWriter(sequence->shape, sizeof sequence->shape).add(way.shape).c_str();
  sequence->next = 1;
  describe_call_site(*sequence, caller, python);
  __atomic_store_n(&sequence->generation, generation(), __ATOMIC_RELEASE);
  return sequence;
}

/// A stream's, which another thread has made that may have ended. With the log's lock held.
DigestSequence* known_of_stream(uint64_t key) {
  if (memory == nullptr)
    return nullptr;
  for (DigestSequence& sequence : memory->sequences)
    if (sequence.generation == generation() && sequence.key_in_stream == key)
      return &sequence;
  return nullptr;
}

DigestSequence* digests_in(const Way& way, const void* caller) {
  Table<8>& call_sites = call_sites_of_this_thread();
  PythonCallSite python;
  find_python_call_site(python, PythonDetail::key, false);
  const uint64_t kind = mix(mix(reinterpret_cast<uintptr_t>(&way.function),
                                reinterpret_cast<uintptr_t>(way.to) + draw_epoch()),
                            way.stream != 0 ? fnv1a_text(way.shape, way.stream) : 0);
  const auto key_here = [&] {
    const uint64_t behind = python.count == 0 ? native_frames_key(caller) : python.key();
    return mix(mix(kind, reinterpret_cast<uintptr_t>(caller)), behind);
  };
  uint64_t key = key_here();
  if (const uint64_t* known = call_sites.find(key))
    return reinterpret_cast<DigestSequence*>(*known);
  find_python_call_site(python, PythonDetail::all, python.count == 0);
  key = key_here();
  SignalSafeLock guard(log_file::lock);
  if (!guard.held())
    return nullptr;
  DigestSequence* sequence = way.stream != 0 ? known_of_stream(key) : nullptr;
  if (sequence == nullptr) {
    sequence = make_sequence(way, caller, python);
    if (sequence != nullptr && sequence != memory->overflow && way.stream != 0)
      sequence->key_in_stream = key;
  }
  if (sequence != nullptr)
    call_sites.insert(key) = reinterpret_cast<uintptr_t>(sequence);
  return sequence;
}

void write_record(DigestSequence& sequence) {
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || !log_file::is_open() || sequence.number == sequence.written)
    return;
  Line line(log_file::line_room, sizeof log_file::line_room);
  RecordWriter<RecordType::digest> record(line);
  record.number("n", ++sequence.source->numbers.written).text("thread", sequence.source->path);
  record.text("lib", sequence.function->library)
      .text("fn", sequence.function->name)
      .text("to", sequence.to);
  if (sequence.shape[0] != 0)
    record.text("shape", sequence.shape);
  record.decimal("first", sequence.written + 1)
      .decimal("digests", sequence.number - sequence.written);
  record.decimal("bytes", sequence.bytes).decimal("launches", sequence.last.launches);
  record.decimal("draws", sequence.last.draws).hash("drawn", sequence.last.drawn);
  if (!sequence.lacks_inputs)
    record.hash("in", sequence.inputs);
  if (sequence.unread == 0)
    record.hash("digest", sequence.hash);
  else
    record.decimal("unread", sequence.unread).text("why", reason_code(sequence.why_unread));
  line.add(sequence.call_site);
  record.end();
  log_file::write(line);
  sequence.written = sequence.number;
  sequence.bytes = sequence.hash = sequence.unread = sequence.inputs = 0;
  sequence.lacks_inputs = false;
  sequence.next = sequence.number < written_alone ? sequence.number + 1
                                                  : sequence.number + sequence.number / 32;
}

} // namespace

DigestSequence* digests_at(const HookInfo& function, const char* to, const void* caller) {
  return digests_in({function, to}, caller);
}

DigestSequence* digests_of_stream(const HookInfo& function, const char* to, const void* caller,
                                  uint64_t stream, const char* shape) {
  return digests_in({function, to, stream, shape}, caller);
}

DigestMoment digest_moment() {
  const Drawn& drawn = of_this_thread(drawn_of_thread);
  return {__atomic_load_n(&launches, __ATOMIC_RELAXED), drawn.number, drawn.hash};
}

void add_digest(DigestSequence* sequence, const OutputDigest& digest, const DigestMoment& moment) {
  if (sequence == nullptr || sequence->is_changing)
    return; // by whom this handler has interrupted, or by another thread that found no room
  const Reason why_unread =
      sequence == memory->overflow ? Reason::too_many_places : digest.why_unread;
  sequence->is_changing = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const auto behind = [sequence](uint64_t hashes, uint64_t hash) {
    return sequence->number == sequence->written ? hash : mix(hashes, hash);
  };
  sequence->hash = behind(sequence->hash, digest.hash);
  sequence->inputs = behind(sequence->inputs, digest.inputs);
  sequence->lacks_inputs |= !digest.has_inputs;
  sequence->bytes += digest.bytes;
  if (why_unread != Reason::none)
    ++sequence->unread, sequence->why_unread = why_unread;
  sequence->last = moment;
  if (++sequence->number >= sequence->next)
    write_record(*sequence);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  sequence->is_changing = false;
}

void hold_digests(DigestSequence* sequence) {
  if (sequence != nullptr)
    __atomic_fetch_add(&sequence->held, 1, __ATOMIC_RELAXED);
}

void release_digests(DigestSequence* sequence) {
  if (sequence != nullptr)
    __atomic_fetch_sub(&sequence->held, 1, __ATOMIC_RELAXED);
}

void leave_digests() {
  if (__atomic_load_n(&memory, __ATOMIC_ACQUIRE) == nullptr)
    return;
  const uint64_t* const known = kept_of_this_thread().find(source_key);
  if (known == nullptr)
    return;
  auto* const source = reinterpret_cast<Source*>(*known);
  for (DigestSequence& sequence : memory->sequences)
    if (sequence.generation == generation() && sequence.source == source)
      write_record(sequence), sequence.is_left = true;
  SignalSafeLock guard(log_file::lock);
  if (!guard.held())
    return;
  bool is_needed = false; // by what still has to be written in its name
  for (DigestSequence& sequence : memory->sequences) {
    if (sequence.is_left && sequence.held == 0 && &sequence != memory->overflow)
      sequence.generation = 0;
    is_needed |= sequence.generation == generation() && sequence.source == source;
  }
  if (is_needed)
    return;
  number_records_in(nullptr);
  source->generation = 0;
}

void write_digests() {
  if (__atomic_load_n(&memory, __ATOMIC_ACQUIRE) == nullptr)
    return;
  for (DigestSequence& sequence : memory->sequences)
    if (__atomic_load_n(&sequence.generation, __ATOMIC_ACQUIRE) == generation())
      write_record(sequence);
}

void note_launch() {
  if (takes_fingerprints())
    __atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
}

void detail::note_drawn(const void* data, size_t size) {
  Drawn& drawn = of_this_thread(drawn_of_thread);
  ++drawn.number;
  drawn.hash = content_hash(data, size, drawn.hash);
}

} // namespace detshim
