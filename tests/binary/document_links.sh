#!/bin/sh
# Every relative link in the documents leads to a file that is there, and every #anchor to a heading in it: in the repository, and
# in what is installed. The wheel's page, which PyPI shows alone, has none.
#
# Usage: document_links.sh LIBRARY COMMAND SOURCE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR="$folder" cmake --install "$(dirname "$2")" --prefix /usr >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
python3 - "$3" "$folder/usr/share/doc/detshim" <<'PYTHON'
import os, re, sys

root, installed = sys.argv[1:]
skipped = {"build", ".git", "detshim-log"}


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    found = set()
    for line in re.sub(r"^```.*?^```", "", text, flags=re.M | re.S).split("\n"):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            name = re.sub(r"[^\w\- ]", "", heading[1].lower().replace("`", "")).replace(" ", "-")
            found.add(name)
    return found


def broken(file, text):
    """Links of a document that lead nowhere."""
    plain = re.sub(r"^```.*?^```|^    [^\n]*$|`[^`\n]*`", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", plain):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
        if not os.path.exists(to):
            yield target
        elif anchor and to.endswith(".md") and anchor not in anchors(open(to, encoding="utf-8").read()):
            yield target


def complaints(root):
    """What is wrong with the documents of a folder, and how many links they have."""
    found, count = [], 0
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in skipped]
        for name in files:
            if name.endswith(".md"):
                file = os.path.join(folder, name)
                text = open(file, encoding="utf-8").read()
                count += text.count("](")
                found += [f"{os.path.relpath(file, root)}: {target} leads nowhere" for target in broken(file, text)]
    return found, count


bad = []
for place in (root, installed):
    found, count = complaints(place)
    bad += found + ["links are not read any more"] * (count < 100)
wheel = os.path.join(root, "tools/python/README.md")
bad += [f"tools/python/README.md: {target} leads nowhere on PyPI"
        for target in re.findall(r"\]\(([^)\s]+)\)", open(wheel, encoding="utf-8").read()) if not re.match(r"https:", target)]
index = open(os.path.join(root, "docs/README.md"), encoding="utf-8").read()
for folder in ("", "tutorials/"):
    for name in sorted(os.listdir(os.path.join(root, "docs", folder))):
        if name.endswith(".md") and f"({folder}{name})" not in index and (folder, name) != ("", "README.md"):
            bad.append(f"docs/README.md: {folder}{name} is not in it")
# It finds what it is for.
if list(broken(os.path.join(root, "README.md"), "[a](docs/none.md) [b](#no-such-heading) [c](docs/README.md)")) != ["docs/none.md", "#no-such-heading"]:
    bad.append("a broken link is not found")
if not bad:
    os.remove(os.path.join(installed, "docs/GLOSSARY.md"))
if not complaints(installed)[0]:
    bad.append("a page that is not installed is not missed")
print(*bad, sep="\n")
sys.exit(bool(bad))
PYTHON
