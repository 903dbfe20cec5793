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

/// Moves the whole pages around these bytes to those around `to`, which has the same place within its page.
/// What nobody has touched stays so. The pages that they leave are zero after it. False, and nothing is
/// changed, where the kernel does not do that: before Linux 5.7, or of pages that are not alike.
bool move_pages(char* from, char* to, size_t size);

/// The whole pages around these bytes are zero after this, and can be written, whatever was done to them.
void empty_pages(char* begin, size_t size);

} // namespace detshim
