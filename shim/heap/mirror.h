// Memory that lies elsewhere: each block keeps its place in libc's heap and is used at a distance of it, so
// that all other blocks stay where they were. The distance is whole pages, as the kernel's own randomisation
// has it: what depends on the place within a page is the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

/// The place at that distance of a block of libc's, made usable; nullptr where there is none to be had.
char* mirror_of(char* block, size_t size, uint64_t distance);

/// The block of libc's whose place at the distance this is; nullptr for anything else.
char* mirrored(const void* place, uint64_t distance);

/// The whole pages around these bytes are zero after this, and can be written, whatever was done to them.
void empty_pages(char* begin, size_t size);

} // namespace detshim
