// The program that hosts the framework `constructor`. It does nothing.
int main() {}
