// Thrust: reduce, reduce by key, sort.
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

float thrust_sums(float* x, int* keys, int* keys_out, float* out, int n) {
  thrust::device_ptr<float> p(x), o(out);
  thrust::device_ptr<int> k(keys), ko(keys_out);
  thrust::sort(k, k + n);
  thrust::reduce_by_key(k, k + n, p, ko, o);
  return thrust::reduce(p, p + n, 0.f);
}
