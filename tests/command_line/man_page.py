#!/usr/bin/env python3
"""docs/detshim.1 has each verb, with the options and the statuses that its help has, and no others; groff has no complaint.

Usage: man_page.py DETSHIM LIBDETSHIM SOURCE [--write]      --write: puts the statuses of the help into the page
"""

import pathlib
import re
import shutil
import subprocess
import sys

DETSHIM = sys.argv[1]
PAGE = pathlib.Path(sys.argv[3], "docs/detshim.1")
LITERAL = re.compile(r"(?<=As the help of each verb has them:\n\.Bd -literal\n).*?(?=\.Ed\n)", re.S)


def help_of(verb):
    return subprocess.run(
        [DETSHIM, *verb.split(), "--help"], capture_output=True, text=True, check=True
    ).stdout


def part(text, begin):
    return text.split(f"\n{begin}:\n")[1].split("\n\n")[0] if f"\n{begin}:\n" in text else ""


def verbs(above=""):
    """Those that can be called, with their help."""
    names = re.findall(r"^  ([a-z]+) ", part(help_of(above), "Subcommands"), re.M)
    for name in (f"{above} {name}".strip() for name in names):
        text = help_of(name)
        if "SUBCOMMAND\n" not in text:
            yield name, text
        yield from verbs(name)


def options_in_help(text):
    lines = re.findall(r"^  (-\S+)", part(text, "Options"), re.M)
    return {one for line in lines for one in line.split(",")} - {"-h", "--help"}


def options_in_page(text):
    """Behind Fl, up to the next macro: n, -runs."""
    flags = re.findall(r"\bFl ((?:-?[a-z][-a-z]*(?: , )?)+)", text)
    return {
        "-" + one
        for flag in flags
        for one in re.split(" , | ", flag)
        if re.fullmatch("[a-z]|-[a-z][-a-z]+", one)
    }


def main():
    page = PAGE.read_text()
    bad = []
    known = dict(verbs())
    statuses = "".join(f"{verb}\n{part(text, 'Exit status')}\n" for verb, text in known.items())
    if "--write" in sys.argv:
        PAGE.write_text(LITERAL.sub(lambda _: statuses.replace("\\", "\\e"), page))
        return 0
    if LITERAL.search(page).group() != statuses:
        bad.append(
            "the statuses are not those of the help: man_page.py DETSHIM LIBDETSHIM SOURCE --write"
        )
    sections = {}
    for title, text in re.findall(
        r"^\.Ss Options of ([^\n]*)\n(.*?)(?=^\.S[sh] )", page, re.S | re.M
    ):
        sections |= dict.fromkeys(title.split(" and "), text)
    bad += [
        f"the page has options of '{verb}', which is no verb" for verb in set(sections) - set(known)
    ]
    for verb, text in known.items():
        if f".Nm\n.Cm {verb}\n" not in page:
            bad.append(f"no synopsis of {verb}")
        if f".It Cm {verb}\n" not in page and f".Cm {verb.split()[-1]}\n" not in page:
            bad.append(f"no description of {verb}")
        example = re.search(rf"\nExample:\n  (detshim {verb}\b.*)\n", text)
        if not example or not set(
            re.findall(r" (--?[a-z][-a-z]*)", example[1].split(" -- ")[0])
        ) <= options_in_help(text):
            bad.append(f"the help of {verb} has no example, or one with an unknown option")
        in_help, in_page = options_in_help(text), options_in_page(sections.get(verb, ""))
        bad += [f"{verb} {one} is not in the page" for one in sorted(in_help - in_page)]
        bad += [f"{verb} {one} is in the page alone" for one in sorted(in_page - in_help)]
    for command in (["mandoc", "-T", "lint", "-W", "warning"], ["man", "--warnings=w", "-l"]):
        if shutil.which(command[0]):
            result = subprocess.run([*command, PAGE], capture_output=True, text=True, check=False)
            bad += (result.stderr if command[0] == "man" else result.stdout).splitlines()
    print("\n".join(bad), file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
