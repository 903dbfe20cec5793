// What a process and those that it forks have in common: one page of memory.
//
// Together they write one pair of log files, those of the first of them that has something to say.
// A file for each child would cost more than the child: on most file systems to make one takes
// longer than to fork.
#pragma once

#include <cstdint>

namespace detshim {

struct SharedPage {
  /// Children that no fork handler announced: each takes a number of its own.
  uint32_t unannounced;

  enum FilesState : uint32_t { none, published_soon, published };
  /// Whether the fields below say which files these are.
  uint32_t files;
  /// Not 0 once a process beside the one that made them writes in the files.
  uint32_t has_joined;
  /// The files' name without its ending, and what tells them from others of that name.
  char stem[160];
  uint64_t device;
  uint64_t records_inode;
  uint64_t counts_inode;
  /// The first entry of the counts file that is nobody's.
  uint64_t next_entry;
  /// The set of loaded objects that a record in the file names, see docs/LOG_FORMAT.md, "modules";
  /// 0 for none.
  uint64_t named_modules;
};

/// Shared with every descendant that was forked; nullptr before share_page().
extern SharedPage* shared_page;

/// Makes the page, if there is memory. Not at every process's start: it is a cost. Called by the
/// first draw, and before a process is forked.
void share_page();

/// True in a descendant of the process that made the page.
bool has_inherited_page();

} // namespace detshim
