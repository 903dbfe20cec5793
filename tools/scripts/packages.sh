# Sourced by quickstart and check: installs Debian packages that are missing, and configures builds.

# Prints those of its arguments that are not installed.
missing_packages() {
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -q -x installed || printf '%s ' "$package"
  done
}

# Installs its arguments where they are missing, by apt-get, as root or through sudo.
need_packages() {
  command -v dpkg-query >/dev/null || {
    echo "This script installs Debian packages; elsewhere, install what README.md lists and use cmake." >&2
    exit 2
  }
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "These packages are missing, and there is no sudo: $missing" >&2; exit 2; }
    as_root=sudo
  fi
  echo "Installing: $missing"
  $as_root apt-get update -q >/dev/null
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >/dev/null
}

# configure PRESET [OPTION...]: by Ninja where it is found, unless the folder was configured by something else.
configure() {
  if [ ! -e "build/$1/CMakeCache.txt" ] && [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
    CMAKE_GENERATOR=Ninja cmake --preset "$@"
  else
    cmake --preset "$@"
  fi
}

build_packages="cmake g++ make pkg-config libcli11-dev libspdlog-dev nlohmann-json3-dev libsimdjson-dev
  libelf-dev libdw-dev libcapstone-dev libpcre2-dev zlib1g-dev liblz4-dev libzstd-dev dpkg-dev"
test_packages="clang clang-format clang-tidy libc++-dev libc++abi-dev libgtest-dev libbenchmark-dev g++-aarch64-linux-gnu qemu-user binutils
  python3 perl git man-db mandoc file python3-numpy python3-torch libtorch-dev libboost-random-dev ruby php-cli openssl golang-go
  libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0 valgrind libclang-rt-dev
  libomp-dev ninja-build libssl-dev libsodium-dev uuid-runtime r-base-core tcl lua5.4
  gawk mksh pypy3 busybox zsh ksh93u+m swi-prolog-nox erlang-base libbsd0 libqt5core5a libqt6core6
  wireguard-tools pwgen makepasswd whois chrony botan apg gpw xkcdpass passwdqc
  musl-tools bubblewrap fish stress-ng
  openmpi-bin libopenmpi-dev mpich slurm-wlm munge chromium lintian nix-bin"
