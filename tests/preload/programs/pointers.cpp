// Prints the order of a set of pointers into the program, the heap, the stack and mapped memory.
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unordered_set>
#include <vector>

int main() {
  static int in_program[8];
  int on_stack[8];
  std::vector<void*> pointers;
  for (int i = 0; i < 8; ++i) {
    pointers.push_back(&in_program[i]);
    pointers.push_back(&on_stack[i]);
    pointers.push_back(std::malloc(40));
    pointers.push_back(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  const std::unordered_set<void*> set(pointers.begin(), pointers.end());
  for (void* pointer : set)
    for (std::size_t i = 0; i < pointers.size(); ++i)
      if (pointers[i] == pointer)
        std::printf("%zu ", i);
  std::printf("\n");
}
