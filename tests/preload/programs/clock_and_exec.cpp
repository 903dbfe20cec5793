#include <ctime>
#include <unistd.h>
int main(int, char** to) {
  for (++to; *to; ++to)
    if (**to == '/')
      execl(*to, *to, nullptr);
    else if (time(nullptr) < 0)
      return 1;
}
