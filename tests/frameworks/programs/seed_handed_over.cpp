#include <cstdio>
#include <cstdlib>
int main(int count, char* arguments[]) {
  unsigned seed = 0;
  if (count > 1)
    seed = std::strtoul(arguments[1], nullptr, 10);
  else if (std::getenv("SEED"))
    seed = std::strtoul(std::getenv("SEED"), nullptr, 10);
  else if (std::scanf("%u", &seed) != 1)
    return 1;
  srand(seed);
  std::printf("%d\n", rand());
}
