// What the sources of cuDNN's double share: the version that it plays, and that version's status
// numbers.
#pragma once

#include <cstddef>

#ifdef DETSHIM_TEST_CUDNN_8
constexpr size_t cudnn_version = 8907;
constexpr int not_supported = 9, bad_param = 3, execution_failed = 8;
#else
constexpr size_t cudnn_version = 91900;
constexpr int not_supported = 3000, bad_param = 2000, execution_failed = 5000;
#endif

constexpr size_t kib = 1024;
