// The host's half of the programs: nothing is started. The kernels are in the objects that are linked with
// it.
int main() { return 0; }
