// A double of libtensorflow_framework.so.2: what its library of kernels asks.
namespace tsl {
[[gnu::visibility("default")]] bool OpDeterminismRequired();
bool OpDeterminismRequired() { return false; }
} // namespace tsl
