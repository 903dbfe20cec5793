// Where the log's lines go: the folder, this process's file in it, and the few lines that go to
// stderr.
//
// Everything here wants `lock` held, but for remember_stderr().
#pragma once

#include "common/reasons.h"
#include "common/text.h"
#include "core/base/own_stack.h"
#include "core/base/signal_safe_lock.h"

#include <cstddef>
#include <cstdint>

namespace detshim::log_file {

/// The log's lock, and room for one line and the texts that go into it: a thread's stack may be 16
/// KiB in all.
extern uint64_t lock;
struct LogBuffers {  // what a forked child that draws once writes to comes first, on one page: each
                     // it writes to is copied
  char held[512];    ///< lines that wait for the next
  char program[256]; ///< the program's path, once it was asked for and if it has room
  char line[4096];   ///< the longest line, docs/LOG_FORMAT.md
  char text[4096];
  char path[3700];
};
extern LogBuffers rooms;
inline constexpr char (&line_room)[sizeof rooms.line] = rooms.line;
inline constexpr char (&text_room)[sizeof rooms.text] = rooms.text;
inline constexpr char (&path_room)[sizeof rooms.path] = rooms.path;

/// Calls body() with the lock held, on a stack of our own; not where this thread holds it already.
template <typename Body>
void with_lock(Body body) {
  on_own_stack([&] {
    SignalSafeLock guard(lock);
    if (guard.held())
      body();
  });
}

/// Remembers what stderr is, so that nothing is written into a file that took its number later.
void remember_stderr();

/// Before the program closes stderr as it ends, which those of GNU coreutils do (timeout, nice,
/// env): keeps a descriptor for the closing line.
void keep_stderr();

/// Writes to stderr, if it is what it was and was open when the process began.
void say(const char* text, size_t length);
inline void say(TextWriter& text) { say(text.c_str(), text.length()); }

/// True for the first process of the run that asks with that word, which becomes the ending of a
/// file in the folder.
bool is_first_in_run(const char* suffix);

/// This machine's name, as a part of a file's name too.
void name_of_node(char (&name)[65]);

/// The log folder, made where it is missing if `make`; neither it nor the default's `detshim-log`
/// may be a link. A descriptor, or a negated errno. `made` tells whether this call made it.
int open_folder(bool make = false, bool* made = nullptr);

/// What open() found.
enum class Opened {
  no,     ///< records cannot be written; that was said once
  before, ///< it was open already, or again after the program had closed its descriptor
  now,    ///< this process's file was just begun: its start record is due
  joined, ///< this process just began to write in a file of those that it shares a page with: the
          ///< same is due
};

/// Opens this process's file, and its counts file with it, unless that was done before.
Opened open();

/// The number by which this process's records name it where it writes in another's file; else 0.
uint64_t process_number();

/// About to fork: the child and its kin may write in this process's file; where this process has
/// none, in that of a child before.
void offer_to_children();
/// Has begun this process's file, with its start record in it: those that were forked from the same
/// process, and write for the first time from now on, may write in it.
void offer_to_siblings();

/// Says in the log of this process, or else in that of the nearest one before it whose descriptor
/// it still has, that `program` (nullptr: this one) leaves no log. `error` is an errno, or 0.
void write_lost(const char* program, Reason why, int error = 0);

/// True if a program that this process executes now will be able to write its log where this one's
/// is, or if this one has no log.
bool is_within_reach();

/// True if the file is open; it was begun if it was ever tried.
bool is_open();
bool has_begun();

/// Writes one line (without its newline). A disk that is full is said once. One that is `held` is
/// written together with the next, which must follow before the lock is given back.
void write(TextWriter& line, bool held = false);

} // namespace detshim::log_file
