// Programs built with the string of before C++11 call another constructor of the device.
#define _GLIBCXX_USE_CXX11_ABI 0
#include "std_random_device.cpp"
