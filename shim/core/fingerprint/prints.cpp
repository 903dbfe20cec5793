#include "core/fingerprint/prints.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/base/lock.h"
#include "core/base/placement.h"
#include "core/base/thread_memory.h"
#include "core/identity/thread.h"
#include "core/log/log_file.h"
#include "core/log/places.h"
#include "core/log/records.h"
#include "core/log/start.h"

namespace detshim {
namespace {

/// A thread or a stream that has printed: its number of records, and its name for who writes after it.
struct Printer {
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

struct Print {
  uint32_t generation; // of the process; 0: free
  bool is_changing;    // by a thread that a signal handler has interrupted
  bool is_left;        // its thread has ended
  uint32_t held;       // copies under way
  Printer* printer;
  const HookInfo* function;
  const char* to;
  uint64_t number;  // of prints so far
  uint64_t written; // of those that records stand for
  uint64_t next;    // the number at which the next record is written
  // Of those since:
  uint64_t bytes, hash, unread, inputs;
  bool lacks_inputs; // at least one of them
  Reason why_unread;
  PrintMoment last;
  char shape[200];
  char place[1900]; // as the record has it
};

namespace {

constexpr size_t most_prints = 8192, most_printers = 4096;
constexpr uint64_t written_alone = 256; // then a record stands for a thirty-second of those before it

/// Slots from the first on; those behind the last that was ever used are not touched. The last of all is kept
/// for what finds no room.
template <typename Slot, size_t Count>
struct Slots {
  size_t used;
  Slot slots[Count];

  Slot* begin() { return slots; }
  Slot* end() { return slots + __atomic_load_n(&used, __ATOMIC_ACQUIRE); }
  Slot& last() { return slots[Count - 1]; }

  /// With the log's lock held; nullptr if there is none.
  Slot* free_one() {
    for (Slot& slot : *this)
      if (&slot != &last() && slot.generation != generation()) return &slot; // 0 is none
    if (used >= Count - 1) return nullptr;
    __atomic_store_n(&used, used + 1, __ATOMIC_RELEASE);
    return &slots[used - 1];
  }
  Slot& take_last() { return __atomic_store_n(&used, Count, __ATOMIC_RELEASE), last(); }
};

struct Memory {
  Slots<Print, most_prints> prints;
  Slots<Printer, most_printers> printers;
  Table<8> of_streams; // prints of streams, whichever thread made them
  uint32_t of_streams_generation;
};
DETSHIM_STARTUP_DATA constinit Memory* memory =
    nullptr; // had when it is first needed: most processes take no fingerprints
constinit Print* overflow = nullptr;

constexpr uint64_t printer_key = 0x7072696E746572;

Printer* printer_of_this_thread() {
  Table<8>& places = places_of_this_thread();
  if (const uint64_t* known = places.find(printer_key)) return reinterpret_cast<Printer*>(*known);
  Printer* const printer = memory->printers.free_one();
  if (printer == nullptr) return nullptr;
  printer->generation = generation();
  printer->stream = 0;
  __builtin_memcpy(printer->path, this_thread().path, sizeof printer->path);
  number_records_in(&printer->numbers);
  places.insert(printer_key) = reinterpret_cast<uintptr_t>(printer);
  return printer;
}

/// Streams are numbered as they first print.
Printer* printer_of_stream(uint64_t stream) {
  unsigned number = 1;
  for (Printer& printer : memory->printers) {
    if (printer.generation != generation() || printer.stream == 0) continue;
    if (printer.stream == stream) return &printer;
    ++number;
  }
  Printer* const printer = memory->printers.free_one();
  if (printer == nullptr) return nullptr;
  *printer = {};
  printer->generation = generation();
  printer->stream = stream;
  TextWriter(printer->path, sizeof printer->path).add("stream ").add(uint64_t{number}).c_str();
  return printer;
}

/// Of threads and streams for which there is no room.
Printer& nameless_printer() {
  Printer& printer = memory->printers.take_last();
  printer = {};
  printer.generation = generation();
  TextWriter(printer.path, sizeof printer.path).add('?').c_str();
  return printer;
}

void describe_place(Print& print, const void* caller, const PythonPlace& python) {
  NativeFrames frames;
  if (python.count == 0) find_native_frames(caller, frames);
  write_builds(caller, frames, false);
  Line line(log_file::line_room, sizeof log_file::line_room);
  add_place(line, caller);
  const size_t without_frames = line.length();
  add_frames(line, caller, frames);
  add_python(line, python, sizeof print.place);
  if (line.length() >= sizeof print.place) line.shorten(without_frames);
  if (line.length() >= sizeof print.place) line.shorten(0);
  __builtin_memcpy(print.place, line.c_str(), line.length() + 1);
}

/// In which way something is printed.
struct Way {
  const HookInfo& function;
  const char* to;
  uint64_t stream = 0; // 0: a thread's
  const char* shape = "";
};

/// With the log's lock held.
Print* make_print(const Way& way, const void* caller, const PythonPlace& python) {
  if (memory == nullptr) memory = static_cast<Memory*>(sys::map(sizeof(Memory)));
  if (memory == nullptr || !open_log()) return nullptr;
  Printer* printer = way.stream != 0 ? printer_of_stream(way.stream) : printer_of_this_thread();
  Print* print = printer != nullptr ? memory->prints.free_one() : nullptr;
  if (print == nullptr) {
    print = &memory->prints.take_last(); // in the name of the first that found no room
    if (print->generation == generation()) return print;
    overflow = print;
    if (printer == nullptr) printer = &nameless_printer();
  }
  *print = {};
  print->printer = printer;
  print->function = &way.function;
  print->to = way.to;
  TextWriter(print->shape, sizeof print->shape).add(way.shape).c_str();
  print->next = 1;
  describe_place(*print, caller, python);
  __atomic_store_n(&print->generation, generation(), __ATOMIC_RELEASE);
  return print;
}

void write_record(Print& print) {
  Lock guard(log_file::lock);
  if (!guard.held() || !log_file::is_open() || print.number == print.written) return;
  Line line(log_file::line_room, sizeof log_file::line_room);
  const auto add_number = [&line](const char* key, uint64_t number) {
    line.add(",\"").add(key).add("\":\"").add(number).add('"');
  };
  line.add("{\"t\":\"print\",\"n\":").add(++print.printer->numbers.written);
  add_text(line, "thread", print.printer->path);
  add_text(line, "lib", print.function->library);
  add_text(line, "fn", print.function->name);
  add_text(line, "to", print.to);
  if (print.shape[0] != 0) add_text(line, "shape", print.shape);
  add_number("first", print.written + 1);
  add_number("prints", print.number - print.written);
  add_number("bytes", print.bytes);
  add_number("launches", print.last.launches);
  add_number("draws", print.last.draws);
  line.add(",\"drawn\":\"").add_hex(print.last.drawn, 16).add('"');
  if (!print.lacks_inputs) line.add(",\"in\":\"").add_hex(print.inputs, 16).add('"');
  if (print.unread == 0)
    line.add(",\"print\":\"").add_hex(print.hash, 16).add('"');
  else
    add_number("unread", print.unread), add_text(line, "why", reason_code(print.why_unread));
  line.add(print.place).add('}');
  log_file::write(line);
  print.written = print.number;
  print.bytes = print.hash = print.unread = print.inputs = 0;
  print.lacks_inputs = false;
  print.next = print.number < written_alone ? print.number + 1 : print.number + print.number / 32;
}

void add(Print* print, const Printed& printed, const PrintMoment& moment) {
  if (print == nullptr) return;
  const Reason why_unread = print == overflow ? Reason::too_many_places : printed.why_unread;
  if (print->is_changing)
    return; // by whom this handler has interrupted, or by another thread that found no room
  print->is_changing = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const auto behind = [print](uint64_t hashes, uint64_t hash) {
    return print->number == print->written ? hash : mix(hashes, hash);
  };
  print->hash = behind(print->hash, printed.hash);
  print->inputs = behind(print->inputs, printed.inputs);
  print->lacks_inputs |= !printed.has_inputs;
  print->bytes += printed.bytes;
  if (why_unread != Reason::none) ++print->unread, print->why_unread = why_unread;
  print->last = moment;
  if (++print->number >= print->next) write_record(*print);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  print->is_changing = false;
}

/// With the log's lock held.
void give_back_left() {
  for (Print& print : memory->prints)
    if (print.is_left && print.held == 0 && &print != overflow) print.generation = 0;
}

} // namespace

namespace {

/// What another thread has made, which may have ended. With the log's lock held.
Print* known_of_stream(uint64_t key) {
  if (memory == nullptr) return nullptr;
  if (memory->of_streams_generation != generation()) {
    memory->of_streams.clear();
    memory->of_streams_generation = generation();
  }
  const uint64_t* const known = memory->of_streams.find(key);
  return known != nullptr ? reinterpret_cast<Print*>(*known) : nullptr;
}

Print* prints_in(const Way& way, const void* caller) {
  Table<8>& places = places_of_this_thread();
  PythonPlace python;
  find_python_place(python, PythonDetail::key, false);
  const uint64_t kind =
      mix(mix(reinterpret_cast<uintptr_t>(&way.function), reinterpret_cast<uintptr_t>(way.to) + draw_epoch()),
          way.stream != 0 ? fnv1a_text(way.shape, way.stream) : 0);
  const auto key_here = [&] {
    const uint64_t behind = python.count == 0 ? native_frames_key(caller) : python.key();
    return mix(mix(kind, reinterpret_cast<uintptr_t>(caller)), behind);
  };
  uint64_t key = key_here();
  if (const uint64_t* known = places.find(key)) return reinterpret_cast<Print*>(*known);
  find_python_place(python, PythonDetail::all, python.count == 0);
  key = key_here();
  Lock guard(log_file::lock);
  if (!guard.held()) return nullptr;
  Print* print = way.stream != 0 ? known_of_stream(key) : nullptr;
  if (print == nullptr) {
    print = make_print(way, caller, python);
    if (print != nullptr && way.stream != 0 && known_of_stream(key) == nullptr)
      memory->of_streams.insert(key) = reinterpret_cast<uintptr_t>(print);
  }
  if (print != nullptr) places.insert(key) = reinterpret_cast<uintptr_t>(print);
  return print;
}

} // namespace

Print* prints_at(const HookInfo& function, const char* to, const void* caller) {
  return prints_in({function, to}, caller);
}

Print* prints_of_stream(const HookInfo& function, const char* to, const void* caller, uint64_t stream,
                        const char* shape) {
  return prints_in({function, to, stream, shape}, caller);
}

PrintMoment print_moment() {
  const Drawn& drawn = of_this_thread(drawn_of_thread);
  return {__atomic_load_n(&launches, __ATOMIC_RELAXED), drawn.number, drawn.hash};
}

void add_print(Print* print, const Printed& printed, const PrintMoment& moment) {
  add(print, printed, moment);
}

void add_print(Print* print, size_t bytes, uint64_t hash) {
  if (print != nullptr) add(print, {bytes, hash}, print_moment());
}

void add_unread_print(Print* print, size_t bytes, Reason why) {
  if (print != nullptr) add(print, {bytes, 0, why}, print_moment());
}

void hold_print(Print* print) {
  if (print != nullptr) __atomic_fetch_add(&print->held, 1, __ATOMIC_RELAXED);
}

void release_print(Print* print) {
  if (print != nullptr) __atomic_fetch_sub(&print->held, 1, __ATOMIC_RELAXED);
}

void leave_prints() {
  if (__atomic_load_n(&memory, __ATOMIC_ACQUIRE) == nullptr) return;
  const uint64_t* const known = places_of_this_thread().find(printer_key);
  if (known == nullptr) return;
  auto* const printer = reinterpret_cast<Printer*>(*known);
  for (Print& print : memory->prints)
    if (print.generation == generation() && print.printer == printer)
      write_record(print), print.is_left = true;
  Lock guard(log_file::lock);
  if (!guard.held()) return;
  give_back_left();
  bool is_needed = false; // by what still has to be written in its name
  for (const Print& print : memory->prints)
    is_needed |= print.generation == generation() && print.printer == printer;
  if (is_needed) return;
  number_records_in(nullptr);
  printer->generation = 0;
}

void write_prints() {
  if (__atomic_load_n(&memory, __ATOMIC_ACQUIRE) == nullptr) return;
  for (Print& print : memory->prints)
    if (__atomic_load_n(&print.generation, __ATOMIC_ACQUIRE) == generation()) write_record(print);
}

void note_launch() {
  if (takes_fingerprints()) __atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
}

void detail::note_drawn(const void* data, size_t size) {
  Drawn& drawn = of_this_thread(drawn_of_thread);
  ++drawn.number;
  drawn.hash = content_hash(data, size, drawn.hash);
}

} // namespace detshim
