"""The recipes in packaging/ are of this version, and name each library that CMake looks for.

Usage: recipes_test.py SOURCE
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import types
import unittest

# What CMake looks for, by the names of Debian, conda-forge, Spack and Nixpkgs.
LIBRARIES = {
    "CLI11": ("libcli11-dev", "cli11", "cli11", "cli11"),
    "spdlog": ("libspdlog-dev", "spdlog", "spdlog", "spdlog"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann_json", "nlohmann-json", "nlohmann_json"),
    "simdjson": ("libsimdjson-dev", "simdjson", "simdjson", "simdjson"),
    "libdw": ("libdw-dev", "elfutils", "elfutils", "elfutils"),
    "libelf": ("libelf-dev", "elfutils", "elfutils", "elfutils"),
    "capstone": ("libcapstone-dev", "capstone", "capstone", "capstone"),
    "libpcre2-8": ("libpcre2-dev", "pcre2", "pcre2", "pcre2"),
    "ZLIB": ("zlib1g-dev", "zlib", "zlib-api", "zlib"),
    "liblz4": ("liblz4-dev", "lz4-c", "lz4", "lz4"),
    "libzstd": ("libzstd-dev", "zstd", "zstd", "zstd"),
    "PkgConfig": ("pkg-config", "pkg-config", "pkgconfig", "pkg-config"),
}
PART_OF_LIBC = {"Threads"}
# Nixpkgs is not to be had here: a set in its place gives each package its name.
NIX = """
let names = {};
    pkgs = builtins.listToAttrs (map (name: {{ inherit name; value = name; }}) names) // {{
      lib = {{ licenses.mit = "MIT"; cleanSourceWith = source: source; cleanSourceFilter = path: type: baseNameOf path != ".git"; }};
      stdenv.mkDerivation = given: given;
    }};
    made = import {} {{ inherit pkgs; }};
in {{ inherit (made) version nativeBuildInputs buildInputs;
     kept = builtins.filter (path: made.src.filter path "directory") [ "/x/.git" "/x/build" "/x/shim" ]; }}
"""


def text_of(path):
    return (SOURCE / path).read_text(encoding="utf-8")


class Recipes(unittest.TestCase):
    def setUp(self):
        self.version = re.search(r"VERSION ([0-9.]+)\n", text_of("CMakeLists.txt"))[1]

    def names_of(self, packager):
        return {names[packager] for names in LIBRARIES.values()}

    def test_the_list_is_cmakes(self):
        cmake = text_of("cmake/Requirements.cmake")
        found = set(re.findall(r"find_package\((\w+)", cmake))
        for modules in re.findall(r"pkg_check_modules\(\w+ ([^)]*)\)", cmake):
            found.update(word for word in modules.split() if not word.isupper())
        self.assertEqual(found - PART_OF_LIBC, set(LIBRARIES))

    def test_debian(self):
        self.assertRegex(
            text_of("packaging/debian/changelog"),
            r"\Adetshim \({}-1\) ".format(re.escape(self.version)),
        )
        needed = re.search(r"Build-Depends:(.*?)\n\S", text_of("packaging/debian/control"), re.S)[1]
        self.assertLessEqual(self.names_of(0), {word.strip() for word in needed.split(",")})

    def test_conda(self):
        recipe = text_of("packaging/conda/recipe.yaml")
        self.assertIn("version: {}\n".format(self.version), recipe)
        self.assertLessEqual(self.names_of(1), set(re.findall(r"^    - (\S+)", recipe, re.M)))

    def test_spack(self):
        """Spack is not to be had here: what the recipe says to it is taken down."""
        said = {}

        def directive(name):
            def take(*words, **options):
                said.setdefault(name, []).append(words)
                return lambda method: method

            return take

        package = types.ModuleType("spack.package")
        for name in (
            "license",
            "version",
            "depends_on",
            "requires",
            "conflicts",
            "run_after",
            "on_package_attributes",
        ):
            setattr(package, name, directive(name))
        cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        cmake.CMakePackage = type("CMakePackage", (), {})
        modules = {
            "spack": types.ModuleType("spack"),
            "spack.package": package,
            cmake.__name__: cmake,
        }
        for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
            modules[name] = types.ModuleType(name)
        sys.modules.update(modules)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in modules])
        made = {}
        exec(compile(text_of("packaging/spack/package.py"), "package.py", "exec"), made)
        self.assertTrue(issubclass(made["Detshim"], cmake.CMakePackage))
        self.assertEqual(said["version"], [(self.version,)])
        self.assertLessEqual(self.names_of(2), {words[0] for words in said["depends_on"]})

    @unittest.skipUnless(shutil.which("nix-instantiate"), "there is no nix-instantiate")
    def test_nix(self):
        names = sorted(self.names_of(3) | {"cmake", "ninja", "xz"})
        listed = "[ {} ]".format(" ".join('"{}"'.format(name) for name in names))
        code = NIX.format(listed, SOURCE / "packaging/nix/default.nix")
        done = subprocess.run(
            ["nix-instantiate", "--eval", "--strict", "--json", "--store", "dummy://", "-E", code],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        made = json.loads(done.stdout)
        self.assertEqual(made["version"], self.version)
        self.assertLessEqual(self.names_of(3), set(made["buildInputs"] + made["nativeBuildInputs"]))
        self.assertEqual(made["kept"], ["/x/shim"])


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
