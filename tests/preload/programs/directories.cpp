// Reads a folder in the way named by the first argument and prints the names as they come.
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using Names = std::vector<std::string>;

std::string folder;

DIR* open_folder() {
  DIR* const stream = opendir(folder.c_str());
  if (stream == nullptr)
    std::exit(3);
  return stream;
}

void print(const Names& names) {
  for (const std::string& name : names)
    std::printf("%s\n", name.c_str());
}

Names read_from(DIR* stream, std::size_t limit = ~std::size_t{0}) {
  Names names;
  errno = 0;
  while (names.size() < limit) {
    const dirent* const entry = readdir(stream);
    if (entry == nullptr)
      break;
    names.emplace_back(entry->d_name);
  }
  if (errno != 0)
    std::printf("errno %d\n", errno);
  return names;
}

void read_all() {
  DIR* const stream = open_folder();
  print(read_from(stream));
  std::printf("at the end: %d\n", readdir(stream) == nullptr);
  std::printf("closed: %d\n", closedir(stream));
}

void read_64() {
  DIR* const stream = open_folder();
  while (const dirent64* const entry = readdir64(stream))
    std::printf("%s %d\n", entry->d_name, entry->d_type);
  closedir(stream);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <typename Entry, typename Read>
void read_into(Read read) {
  DIR* const stream = open_folder();
  Entry room;
  Entry* result = nullptr;
  while (read(stream, &room, &result) == 0 && result != nullptr)
    std::printf("%s\n", room.d_name);
  closedir(stream);
}

void hand_over() {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  DIR* const stream = fdopendir(dup(fd));
  print(read_from(stream));
  std::printf("the same descriptor: %d\n", dirfd(stream) != fd);
  closedir(stream);
  DIR* const at_end = fdopendir(dup(fd)); // shares the offset, which is at the end
  std::printf("then %zu\n", read_from(at_end).size());
  rewinddir(at_end);
  std::printf("and again from the start\n");
  print(read_from(at_end));
  closedir(at_end);
}

void rewind_stream() {
  DIR* const stream = open_folder();
  print(read_from(stream, 5));
  const std::string added = folder + "/added";
  fclose(fopen(added.c_str(), "w"));
  rewinddir(stream);
  print(read_from(stream));
  unlink(added.c_str());
  rewinddir(stream);
  print(read_from(stream));
  closedir(stream);
}

/// Goes back to each place, last first, by what telldir said and by what each entry said of the
/// next.
void tell() {
  DIR* const stream = open_folder();
  std::vector<long> places, following;
  for (;;) {
    places.push_back(telldir(stream));
    const dirent* const entry = readdir(stream);
    if (entry == nullptr)
      break;
    following.push_back(entry->d_off);
  }
  for (std::size_t i = places.size(); i-- > 0;) {
    seekdir(stream, places[i]);
    const dirent* const entry = readdir(stream);
    std::printf("%s\n", entry == nullptr ? "the end" : entry->d_name);
  }
  for (const long place : following) {
    seekdir(stream, place);
    const dirent* const entry = readdir(stream);
    std::printf("%s\n", entry == nullptr ? "the end" : entry->d_name);
  }
  closedir(stream);
}

void read_in_child() {
  DIR* const stream = open_folder();
  print(read_from(stream, 5));
  std::fflush(stdout);
  if (fork() == 0) {
    print(read_from(stream));
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
  closedir(stream);
}

void read_two() {
  DIR* const one = open_folder();
  DIR* const other = opendir((folder + "/..").c_str());
  const Names outside = read_from(other, 2);
  DIR* const again = open_folder();
  for (;;) {
    const dirent* const a = readdir(one);
    const dirent* const b = readdir(again);
    if (a == nullptr || b == nullptr)
      break;
    std::printf("%s %s\n", a->d_name, b->d_name);
  }
  for (DIR* const stream : {one, other, again})
    closedir(stream);
}

/// Two threads share a stream: each entry comes once.
void share() {
  DIR* const stream = open_folder();
  Names of[2];
  std::thread threads[2];
  for (int i = 0; i < 2; ++i)
    threads[i] = std::thread([&, i] {
      of[i] = read_from(stream);
    });
  for (std::thread& thread : threads)
    thread.join();
  of[0].insert(of[0].end(), of[1].begin(), of[1].end());
  std::ranges::sort(of[0]);
  print(of[0]);
  closedir(stream);
}

void remove_while_reading() {
  const std::string copy = folder + "-copy";
  std::filesystem::copy(folder, copy);
  DIR* const stream = opendir(copy.c_str());
  int removed = 0;
  while (const dirent* const entry = readdir(stream))
    if (entry->d_type == DT_REG)
      removed += unlinkat(dirfd(stream), entry->d_name, 0) == 0;
  rewinddir(stream);
  std::printf("removed %d, then %zu\n", removed, read_from(stream).size());
  std::printf("%d\n", rmdir(copy.c_str()));
  rewinddir(stream);
  std::printf("of a removed folder: %zu\n", read_from(stream).size());
  closedir(stream);
}

/// A vfork child, in the parent's memory and with descriptors of its own, reads another folder at
/// the same number, as some launchers do to close all.
void read_beside_vfork() {
  DIR* const stream = open_folder();
  Names names = {readdir(stream)->d_name};
  const int fd = dirfd(stream);
  const pid_t child = vfork();
  if (child == 0) {
    close(fd);
    const int other = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
    char room[4096];
    while (syscall(SYS_getdents64, other, room, sizeof room) > 0) {}
    DIR* const another = opendir("/proc/self/fd");
    while (readdir(another) != nullptr) {}
    closedir(another);
    _exit(other == fd ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const Names rest = read_from(stream);
  names.insert(names.end(), rest.begin(), rest.end());
  std::printf("child %d\n", status);
  print(names);
  closedir(stream);
}

int is_no_folder(const dirent* entry) { return entry->d_name[0] != '.'; }
int alike(const dirent**, const dirent**) { return 0; }

/// `scan_folder` fills a list of entries.
template <typename Entry = dirent, typename Scan>
void scan(Scan scan_folder) {
  Entry** entries = nullptr;
  const int count = scan_folder(&entries);
  for (int i = 0; i < count; ++i) {
    std::printf("%s\n", entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
}

/// Sorted by libc itself.
void find() {
  glob_t found;
  if (glob((folder + "/*").c_str(), 0, nullptr, &found) != 0)
    return;
  for (std::size_t i = 0; i < found.gl_pathc; ++i)
    std::printf("%s\n", std::strrchr(found.gl_pathv[i], '/') + 1);
  globfree(&found);
}

std::size_t mapped_kilobytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::size_t size = 0;
  while (status >> word)
    if (word == "VmSize:")
      status >> size;
  return size;
}

/// Whether what was kept for many streams is given back when they are closed. libc's own 32 KiB for
/// each do not count: what is compared lies above.
void close_many() {
  constexpr std::size_t count = 200, kilobytes_of_each = 48;
  std::vector<DIR*> streams;
  for (std::size_t i = 0; i < count; ++i) {
    streams.push_back(open_folder());
    read_from(streams.back());
  }
  const std::size_t at_most = mapped_kilobytes();
  for (DIR* const stream : streams)
    closedir(stream);
  std::printf("given back: %d\n", mapped_kilobytes() + count * kilobytes_of_each < at_most);
}

void filesystem() {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    std::printf("%s\n", entry.path().filename().c_str());
}

} // namespace

// With a third argument it draws a byte first.
int main(int, char** arguments) {
  folder = arguments[2];
  unsigned char drawn;
  if (arguments[3] != nullptr && getentropy(&drawn, sizeof drawn) != 0)
    return 4; // begins a log
  const std::map<std::string, std::function<void()>> ways = {
      {"readdir", read_all},
      {"readdir64", read_64},
      {"readdir_r",
       [] {
         read_into<dirent>(readdir_r);
       }},
      {"readdir64_r",
       [] {
         read_into<dirent64>(readdir64_r);
       }},
      {"fdopendir", hand_over},
      {"rewinddir", rewind_stream},
      {"telldir", tell},
      {"fork", read_in_child},
      {"two", read_two},
      {"vfork", read_beside_vfork},
      {"share", share},
      {"remove", remove_while_reading},
      {"scandir",
       [] {
         scan([](auto list) {
           return scandir(folder.c_str(), list, nullptr, nullptr);
         });
       }},
      {"scandir_alike",
       [] {
         scan([](auto list) {
           return scandir(folder.c_str(), list, is_no_folder, alike);
         });
       }},
      {"scandir_sorted",
       [] {
         scan([](auto list) {
           return scandir(folder.c_str(), list, nullptr, alphasort);
         });
       }},
      {"scandir64",
       [] {
         scan<dirent64>([](auto list) {
           return scandir64(folder.c_str(), list, nullptr, nullptr);
         });
       }},
      {"glob_sorted", find},
      {"close_many", close_many},
      {"filesystem", filesystem},
  };
  ways.at(arguments[1])();
}
