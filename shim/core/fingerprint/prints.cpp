#include "core/fingerprint/prints.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/base/lock.h"
#include "core/base/thread_memory.h"
#include "core/identity/thread.h"
#include "core/log/log_file.h"
#include "core/log/places.h"
#include "core/log/records.h"
#include "core/log/start.h"

namespace detshim {
namespace {

/// A thread that has printed: its number of records, and its name for who writes after it.
struct Printer {
  uint32_t generation; // of the process; 0: free
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
  uint64_t bytes, hash, unread;
  const char* why_unread;
  // At the last of them:
  uint64_t launches;
  Drawn drawn;
  char place[1900]; // as the record has it
};

namespace {

constexpr size_t most_prints = 1024, most_printers = 1024;
constexpr uint64_t written_alone = 256; // then a record stands for a thirty-second of those before it

struct Memory {
  Print prints[most_prints];
  Printer printers[most_printers];
};
constinit Memory* memory = nullptr; // had when it is first needed: most processes take no fingerprints
constinit Print* overflow = nullptr;

constexpr const char* no_room = "more places print than are kept";

/// With the log's lock held; nullptr if there is none.
template <typename Slot, size_t Count>
Slot* free_slot(Slot (&slots)[Count], size_t kept = 0) {
  for (Slot& slot : slots) {
    if (&slot == slots + Count - kept) break;
    if (slot.generation == 0 || slot.generation != generation()) return &slot;
  }
  return nullptr;
}

constexpr uint64_t printer_key = 0x7072696E746572;

Printer* printer_of_this_thread() {
  Table<8>& places = places_of_this_thread();
  if (const uint64_t* known = places.find(printer_key)) return reinterpret_cast<Printer*>(*known);
  Printer* const printer = free_slot(memory->printers);
  if (printer == nullptr) return nullptr;
  printer->generation = generation();
  __builtin_memcpy(printer->path, this_thread().path, sizeof printer->path);
  number_records_in(&printer->numbers);
  places.insert(printer_key) = reinterpret_cast<uintptr_t>(printer);
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
  add_python(line, python);
  if (line.length() >= sizeof print.place) line.shorten(without_frames);
  if (line.length() >= sizeof print.place) line.shorten(0);
  __builtin_memcpy(print.place, line.c_str(), line.length() + 1);
}

/// With the log's lock held.
Print* make_print(const HookInfo& function, const char* to, const void* caller, const PythonPlace& python) {
  if (memory == nullptr) memory = static_cast<Memory*>(sys::map(sizeof(Memory)));
  if (memory == nullptr || !open_log()) return nullptr;
  Printer* const printer = printer_of_this_thread();
  if (printer == nullptr) return nullptr;
  Print* print = free_slot(memory->prints, 1);
  const bool is_full = print == nullptr;
  if (is_full) {
    print = &memory->prints[most_prints - 1]; // in the name of the first thread that found no room
    if (print->generation == generation()) return print;
    overflow = print;
  }
  *print = {};
  print->printer = printer;
  print->function = &function;
  print->to = to;
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
  add_number("first", print.written + 1);
  add_number("prints", print.number - print.written);
  add_number("bytes", print.bytes);
  add_number("launches", print.launches);
  add_number("draws", print.drawn.number);
  line.add(",\"drawn\":\"").add_hex(print.drawn.hash, 16).add('"');
  if (print.unread == 0)
    line.add(",\"print\":\"").add_hex(print.hash, 16).add('"');
  else
    add_number("unread", print.unread), add_text(line, "why", print.why_unread);
  line.add(print.place).add('}');
  log_file::write(line);
  print.written = print.number;
  print.bytes = print.hash = print.unread = 0;
  print.next = print.number < written_alone ? print.number + 1 : print.number + print.number / 32;
}

void add(Print* print, size_t bytes, uint64_t hash, const char* why_unread) {
  if (print == nullptr) return;
  if (print == overflow) why_unread = no_room;
  if (print->is_changing)
    return; // by whom this handler has interrupted, or by another thread that found no room
  print->is_changing = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  print->hash = print->number == print->written ? hash : mix(print->hash, hash);
  print->bytes += bytes;
  if (why_unread != nullptr) ++print->unread, print->why_unread = why_unread;
  print->launches = __atomic_load_n(&launches, __ATOMIC_RELAXED);
  print->drawn = of_this_thread(drawn_of_thread);
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

Print* prints_at(const HookInfo& function, const char* to, const void* caller) {
  Table<8>& places = places_of_this_thread();
  PythonPlace python;
  find_python_place(python, PythonDetail::key, false);
  const uint64_t way =
      mix(reinterpret_cast<uintptr_t>(&function), reinterpret_cast<uintptr_t>(to) + draw_epoch());
  const auto key_here = [&] {
    const uint64_t behind = python.count == 0 ? native_frames_key(caller) : python.key();
    return mix(mix(way, reinterpret_cast<uintptr_t>(caller)), behind);
  };
  uint64_t key = key_here();
  if (const uint64_t* known = places.find(key)) return reinterpret_cast<Print*>(*known);
  find_python_place(python, PythonDetail::all, python.count == 0);
  key = key_here();
  Lock guard(log_file::lock);
  if (!guard.held()) return nullptr;
  Print* const print = make_print(function, to, caller, python);
  if (print != nullptr) places.insert(key) = reinterpret_cast<uintptr_t>(print);
  return print;
}

void add_print(Print* print, size_t bytes, uint64_t hash) { add(print, bytes, hash, nullptr); }

void add_unread_print(Print* print, size_t bytes, const char* why) { add(print, bytes, 0, why); }

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
