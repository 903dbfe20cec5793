// a user's reduction of complex numbers and a sum of long doubles
#include <complex>
#include <cstdio>
using Complex = std::complex<double>;
#pragma omp declare reduction(plus:Complex : omp_out += omp_in) initializer(omp_priv = Complex(0, 0))
int main() {
  Complex sum(0, 0);
  long double precise = 0;
#pragma omp parallel for reduction(plus : sum) reduction(+ : precise) num_threads(4)
  for (int i = 1; i < 1000000; ++i) {
    sum += std::polar(1.0 / i, i * 0.01);
    precise += 1.0L / (static_cast<long double>(i) * i);
  }
  printf("%a %a %La\n", sum.real(), sum.imag(), precise);
}
