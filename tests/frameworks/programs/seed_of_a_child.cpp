#include <cstdio>
#include <cstdlib>
int main() {
  std::FILE* const child = popen("date +%N", "r");
  unsigned seed = 0;
  if (std::fscanf(child, "%u", &seed) != 1)
    return 1;
  pclose(child);
  srand(seed);
  std::printf("%d\n", rand());
}
