#!/bin/sh
# Every relative link in the documents leads to a file that is there, and every #anchor to a heading in it.
#
# Usage: document_links.sh LIBRARY COMMAND SOURCE
set -eu
python3 - "$3" <<'PYTHON'
import os, re, sys

root = sys.argv[1]
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


bad = count = 0
for folder, folders, files in os.walk(root):
    folders[:] = [name for name in folders if name not in skipped]
    for name in files:
        if name.endswith(".md"):
            file = os.path.join(folder, name)
            text = open(file, encoding="utf-8").read()
            count += text.count("](")
            for target in broken(file, text):
                print(f"{os.path.relpath(file, root)}: {target} leads nowhere")
                bad += 1
# It finds what it is for.
if list(broken(os.path.join(root, "README.md"), "[a](docs/none.md) [b](#no-such-heading) [c](docs/README.md)")) != ["docs/none.md", "#no-such-heading"]:
    print("a broken link is not found")
    bad += 1
if count < 100:
    print("links are not read any more")
    bad += 1
sys.exit(bad != 0)
PYTHON
