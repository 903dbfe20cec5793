#!/usr/bin/env python3
"""Fetches the wheels that the file tools/known_functions/wheels names, and keeps of each what its libraries export and its headers.

    tests/abi/fetch_wheels.py FOLDER [LIBRARY...]

A wheel has up to 800 MB and what is kept of it a few: FOLDER/PACKAGE-VERSION/include, and a file LIBRARY.functions for
each library in it, with one exported function a line. One wheel at a time is on the disk, and one that FOLDER has is not
fetched again.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent

# The largest of all, which exports nothing under cuDNN's prefix.
WITHOUT_FUNCTIONS = "libcudnn_engines_precompiled"


def wheels():
    """(library, package, version), oldest first."""
    for line in (HERE.parents[1] / "tools/known_functions/wheels").read_text().splitlines():
        if line and not line.startswith("#"):
            library, package, *versions = line.split()
            for version in versions:
                yield library, package, version


def download(package, version, folder):
    """The wheel of a package for this machine, fetched into a folder."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--no-cache-dir",
            "-d",
            folder,
            f"{package}=={version}",
        ],
        check=True,
    )
    return next(pathlib.Path(folder).glob("*.whl"))


def open_remote(package, version):
    """The wheel as a file of which only what is read is fetched, as pip itself does for `--use-feature=fast-deps`.

    Raises if the index does not answer range requests. It is found as pip is configured to find it.
    """
    from pip._internal.commands import create_command
    from pip._internal.network.lazy_wheel import LazyZipOverHTTP
    from pip._vendor.packaging.specifiers import SpecifierSet

    command = create_command("download")
    options, _ = command.parse_args(["--only-binary", ":all:", "--retries", "1", "-q"])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        found = finder.find_best_candidate(package, SpecifierSet(f"=={version}")).best_candidate
        if found is None:
            raise LookupError(f"no index has {package} {version}")
        return LazyZipOverHTTP(found.link.url_without_fragment, session)


def fetch_part(package, version, folder, part, is_wanted):
    """The folder with the files of a wheel that `is_wanted` chooses by their paths, below their folder called `part`."""
    whole = pathlib.Path(folder) / f"{package}-{version}"
    kept = (
        whole
        if (whole / part).exists()
        else pathlib.Path(folder) / "parts" / f"{package}-{version}"
    )
    if (kept / part).exists():
        return kept
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as work, open_remote(package, version) as remote:
        archive = zipfile.ZipFile(remote)
        wanted = [
            e
            for e in archive.infolist()
            if is_wanted(pathlib.PurePosixPath(e.filename)) and not e.is_dir()
        ]
        if wanted:  # they lie side by side: one request for all
            start = min(e.header_offset for e in wanted)
            remote.seek(start)
            remote.read(max(e.header_offset + e.compress_size for e in wanted) - start)
        for entry in wanted:
            path = pathlib.PurePosixPath(entry.filename)
            place = pathlib.Path(work).joinpath(*path.parts[path.parts.index(part) :])
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(entry))
        (pathlib.Path(work) / part).rename(kept / part)
    return kept


def fetch_headers(package, version, folder):
    """The folder with the headers of that wheel alone: a few hundred kilobytes."""
    return (
        fetch_part(package, version, folder, "include", lambda path: "include" in path.parts)
        / "include"
    )


def exported(file):
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", file], check=True, capture_output=True, text=True
    ).stdout
    return {
        line.split()[2].split("@")[0] for line in lines.splitlines() if line.split()[1] in "TWi"
    }


def keep_parts(wheel, kept):
    """Headers as they are, of libraries the names that they export."""
    with tempfile.TemporaryDirectory(dir=kept.parent) as unpacked, zipfile.ZipFile(
        wheel
    ) as archive:
        for name in archive.namelist():
            path = pathlib.PurePosixPath(name)
            if "include" in path.parts and not name.endswith("/"):
                place = kept.joinpath(*path.parts[path.parts.index("include") :])
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(name))
            elif ".so" in path.name and not path.name.startswith(WITHOUT_FUNCTIONS):
                file = pathlib.Path(archive.extract(name, unpacked))
                (kept / f"{path.name}.functions").write_text(
                    "".join(f"{n}\n" for n in sorted(exported(file)))
                )
                file.unlink()


def fetch(package, version, folder):
    """The folder with the parts of that wheel."""
    kept = pathlib.Path(folder) / f"{package}-{version}"
    if kept.exists():
        return kept
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        parts = pathlib.Path(work) / "parts"
        parts.mkdir()
        keep_parts(download(package, version, work), parts)
        shutil.move(parts, kept)
    return kept


def main():
    folder, *libraries = sys.argv[1:]
    for library, package, version in wheels():
        if not libraries or library in libraries:
            print(fetch(package, version, folder), flush=True)


if __name__ == "__main__":
    main()
