"""The package that is tested, as pip takes it."""

import pathlib
import zipfile


def make_wheel(package, folder):
    """A wheel in the folder, of a package that tests/python/lay_out.cmake laid out; its path."""
    package = pathlib.Path(package)
    (information,) = package.glob("detshim-*.dist-info")
    wheel = pathlib.Path(folder) / "{}-py3-none-any.whl".format(information.stem)
    with zipfile.ZipFile(wheel, "w") as archive:
        names = [
            str(file.relative_to(package))
            for part in ("detshim", information.name)
            for file in (package / part).rglob("*")
            if file.is_file() and file.suffix != ".pyc"
        ]
        for name in names:
            archive.write(package / name, name)
        record = information.name + "/RECORD"
        archive.writestr(record, "".join("{},,\n".format(name) for name in [*names, record]))
    return wheel
