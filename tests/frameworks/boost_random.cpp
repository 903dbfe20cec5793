// Boost's random device and a generator seeded from it.
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/random_device.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <iostream>

int main() {
  boost::random::random_device device;
  std::cout << device() << ' ' << boost::random::mt19937(device)() << ' '
            << boost::uuids::random_generator()() << '\n';
}
