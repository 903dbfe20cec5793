// Runs the kernels of a double of MindSpore's.
extern "C" void run_kernels();
int main() { run_kernels(); }
