// Loads a plugin that draws, has it draw once, and unloads it, as often as asked.
//   plugin_host PLUGIN TIMES [FOLDER]  in that folder under a new name each time
// Prints the sum of what was drawn, and how many pages of memory the second half of the loads took.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <dlfcn.h>

namespace {

long resident_pages() {
  long size = 0, resident = 0;
  FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &size, &resident) != 2)
    std::abort();
  std::fclose(file);
  return resident;
}

long draw_once(const std::string& plugin) {
  void* const handle = dlopen(plugin.c_str(), RTLD_NOW);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  auto* const draw = reinterpret_cast<int (*)()>(dlsym(handle, "draw"));
  const long drawn = draw();
  dlclose(handle);
  return drawn;
}

std::string copy_of(const std::string& plugin, const std::filesystem::path& folder, int number) {
  const std::filesystem::path copy = folder / ("plugin" + std::to_string(number) + ".so");
  std::filesystem::copy_file(plugin, copy);
  return copy;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  const std::string plugin = argv[1];
  const int times = std::atoi(argv[2]);
  long sum = 0;
  long pages_at_half = 0;
  for (int i = 0; i < times; ++i) {
    if (i == times / 2)
      pages_at_half = resident_pages();
    if (argc == 3) {
      sum += draw_once(plugin);
      continue;
    }
    const std::string copy = copy_of(plugin, argv[3], i);
    sum += draw_once(copy);
    std::filesystem::remove(copy);
  }
  std::printf("%ld\n%ld\n", sum, resident_pages() - pages_at_half);
}
