// Reductions on surfaces: integers only.
extern "C" {

// Adds integers to a surface.
__global__ void surface_add(cudaSurfaceObject_t surface, unsigned x) {
  asm volatile("sured.b.1d.add.u32.clamp [%0, {%1}], %2;" ::"l"(surface), "r"(threadIdx.x * 4), "r"(x)
               : "memory");
}

} // extern "C"
