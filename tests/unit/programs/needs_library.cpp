// Draws only in the library that it is linked to: raw_draws.cpp.
int main() { return 0; }
