// A program with an interpreter linked into it, as far as that can be told from outside: what it
// exports.
extern "C" void GetRNGstate() {}

int main() {}
