// bodies that attract one another, guided schedule, energy by a reduction
#include <cmath>
#include <cstdio>
#include <vector>
struct Body {
  double x, y, z, vx, vy, vz, mass;
};
int main() {
  const int n = 400;
  std::vector<Body> bodies(n);
  for (int i = 0; i < n; ++i)
    bodies[i] = {std::cos(i * 1.1) * i, std::sin(i * 1.7) * i, std::cos(i * 0.3), 0, 0, 0, 1.0 + i % 5};
  for (int step = 0; step < 25; ++step) {
#pragma omp parallel for schedule(guided) num_threads(4)
    for (int i = 0; i < n; ++i) {
      double ax = 0, ay = 0, az = 0;
      for (int j = 0; j < n; ++j) {
        double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
        double r2 = dx * dx + dy * dy + dz * dz + 0.1;
        double f = bodies[j].mass / (r2 * std::sqrt(r2));
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
      }
      bodies[i].vx += 0.01 * ax;
      bodies[i].vy += 0.01 * ay;
      bodies[i].vz += 0.01 * az;
    }
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < n; ++i) {
      bodies[i].x += 0.01 * bodies[i].vx;
      bodies[i].y += 0.01 * bodies[i].vy;
      bodies[i].z += 0.01 * bodies[i].vz;
    }
  }
  double energy = 0;
#pragma omp parallel for reduction(+ : energy) num_threads(2)
  for (int i = 0; i < n; ++i)
    energy += 0.5 * bodies[i].mass *
              (bodies[i].vx * bodies[i].vx + bodies[i].vy * bodies[i].vy + bodies[i].vz * bodies[i].vz);
  printf("%a %a %a\n", energy, bodies[17].x, bodies[300].vy);
}
