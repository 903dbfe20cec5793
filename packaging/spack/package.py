# For Spack 1.0 or later. The project has no address to fetch a release from, so what is built is a folder of sources:
# packaging/README.md says how.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Detshim(CMakePackage):
    """A preloaded library, and the command around it, that make unmodified training programs repeatable."""

    license("MIT")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("capstone")
    depends_on("cli11")
    depends_on("elfutils")
    depends_on("lz4")
    depends_on("nlohmann-json")
    depends_on("pcre2")
    depends_on("simdjson")
    depends_on("spdlog")
    depends_on("zlib-api")
    depends_on("zstd")

    requires("platform=linux", msg="detshim is preloaded by the loader of glibc")
    requires(
        "target=x86_64:",
        "target=aarch64:",
        policy="one_of",
        msg="it is made for x86-64 and 64-bit Arm",
    )
    conflicts("%gcc@:11", msg="it is built by GCC 12 or Clang 14 and later")
    conflicts("%clang@:13", msg="it is built by GCC 12 or Clang 14 and later")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def draw_twice(self):
        """The installed command finds its library, and what a program draws follows from the seed."""
        command = Executable(join_path(self.prefix.bin, "detshim"))
        words = ["run", "--quiet", "--seed", "42", "--", "od", "-An", "-N8", "-tx1", "/dev/urandom"]
        first, second = (command(*words, output=str) for _ in range(2))
        if first != second:
            raise InstallError(f"detshim: two runs drew {first.strip()} and {second.strip()}")
