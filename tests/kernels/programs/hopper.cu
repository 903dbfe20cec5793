// Reductions that only sm_90 and later have.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// A reduction of a tile through a tensor map.
#define tensor_2d(op, map, x, y, s)                                                                          \
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." op                                       \
               ".tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),                                          \
               "r"(x), "r"(y), "r"(s)                                                                        \
               : "memory")

extern "C" {

// Two and four floats at once.
__global__ void vector_f32(float* out, const float* in) {
  float x = in[threadIdx.x];
  asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(out), "f"(x) : "memory");  // RACE vector_f32
  asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(out + 4), "f"(x)); // RACE vector_f32
}

// Four floats at once by the function of CUDA.
__global__ void vector_float4(float4* out, const float4* in) {
  atomicAdd(out, in[threadIdx.x]); // RACE vector_float4
}

// Eight halves at once.
__global__ void vector_f16(unsigned short* out, unsigned short x) {
  asm volatile("red.global.add.noftz.v8.f16 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" ::"l"(out),
               "h"(x) // RACE vector_f16
               : "memory");
}

// The greatest of packed halves: it repeats.
__global__ void vector_max_f16(unsigned* out, unsigned x) {
  asm volatile("red.global.max.noftz.v2.f16x2 [%0], {%1, %1};" ::"l"(out), "r"(x) : "memory");
}

// atom.add.noftz.bf16 and bf16x2 in PTX.
__global__ void ptx_bf16(unsigned short* out, unsigned* pair, unsigned short x) {
  unsigned short old;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(out), "h"(x)); // RACE ptx_bf16
  unsigned both = x;
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(pair), "r"(both) : "memory"); // RACE ptx_bf16
}

// A tile of floats added from shared to global memory.
__global__ void bulk_f32(float* out, const float* in) {
  __shared__ alignas(16) float tile[128];
  tile[threadIdx.x & 127] = in[threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = unsigned(__cvta_generic_to_shared(tile));
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 512;" ::"l"(out),
                 "r"(s) // RACE bulk_f32
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// A tile of halves.
__global__ void bulk_f16(unsigned short* out) {
  __shared__ alignas(16) unsigned short tile[128];
  tile[threadIdx.x & 127] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = unsigned(__cvta_generic_to_shared(tile));
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 256;" ::"l"(out),
        "r"(s) // RACE bulk_f16
        : "memory");
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// A tile of integers, and the least of bfloat16: they repeat.
__global__ void bulk_integer(unsigned* out, unsigned short* least) {
  __shared__ alignas(16) unsigned tile[128];
  tile[threadIdx.x & 127] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = unsigned(__cvta_generic_to_shared(tile));
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 512;" ::"l"(out),
                 "r"(s)
                 : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [%0], [%1], 256;" ::"l"(least),
                 "r"(s)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// A tile added through a tensor map: only the map knows the type of the numbers.
__global__ void tensor_add(const void* map, int x, int y) {
  __shared__ alignas(128) float tile[1024];
  tile[threadIdx.x] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = unsigned(__cvta_generic_to_shared(tile));
    tensor_2d("add", map, x, y, s); // RACE tensor_add
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// The greatest through a tensor map: it repeats, whatever the type.
__global__ void tensor_max(const void* map, int x, int y) {
  __shared__ alignas(128) float tile[1024];
  tile[threadIdx.x] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = unsigned(__cvta_generic_to_shared(tile));
    tensor_2d("max", map, x, y, s);
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// Added in the memory of all GPUs of a group.
__global__ void multimem_red(float* all, const float* in) {
  const float x = in[threadIdx.x];
  asm volatile("multimem.red.relaxed.sys.global.add.f32 [%0], %1;" ::"l"(all), "f"(x)); // RACE multimem_red
}

// The sum over all GPUs of a group, which the switch computes.
__global__ void multimem_load(float* out, const float* all) {
  float x;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];"
               : "=f"(x)
               : "l"(all + threadIdx.x)
               : "memory");
  out[threadIdx.x] = x;
}

// A float sum in the shared memory of another block of the cluster.
__global__ void __cluster_dims__(2) cluster_f32(float* out, const float* in) {
  __shared__ float sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, 0), in[threadIdx.x]); // RACE cluster_f32
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// An integer histogram in the shared memory of another block.
__global__ void __cluster_dims__(2) cluster_integer(int* out, const int* in) {
  __shared__ int bins[32];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&bins[in[threadIdx.x] & 31], in[threadIdx.x] >> 5 & 1), 1);
  cluster.sync();
  if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = bins[threadIdx.x];
}

} // extern "C"
