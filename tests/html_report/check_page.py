#!/usr/bin/env python3
"""Reads a page of `detshim report` strictly, and prints as JSON what is in it. A line on stderr for each fault, status 1.

check_page.py FILE
"""

import html.parser
import json
import sys

VOID = {
    "meta",
    "br",
    "hr",
    "input",
    "img",
    "link",
    "base",
    "area",
    "col",
    "embed",
    "source",
    "track",
    "wbr",
}
# What could run, load, or send something. A report needs none of it.
FORBIDDEN = {
    "script",
    "img",
    "iframe",
    "link",
    "object",
    "embed",
    "form",
    "base",
    "audio",
    "video",
    "foreignobject",
    "svg",
    "use",
    "image",
    "animate",
    "set",
    "input",
    "button",
}
LOADING = {
    "src",
    "srcset",
    "href",
    "xlink:href",
    "action",
    "formaction",
    "data",
    "poster",
    "background",
    "ping",
}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.faults, self.open = [], []
        self.ids, self.references = set(), []
        self.text, self.style, self.titles = [], "", []
        self.headings, self.tables = [], []
        self.metas = {}

    def fault(self, text):
        self.faults.append(f"line {self.getpos()[0]}: {text}")

    def handle_decl(self, decl):
        if decl.lower() != "doctype html" or self.open:
            self.fault(f"declaration {decl}")
        self.metas["doctype"] = True

    def handle_pi(self, data):
        self.fault(f"processing instruction {data}")

    def handle_comment(self, data):
        self.fault(f"comment {data}")

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        values = {name: value or "" for name, value in attributes}
        if len(names) != len(set(names)):
            self.fault(f"<{tag}> has an attribute twice")
        if tag in FORBIDDEN:
            self.fault(f"<{tag}>")
        for name, value in values.items():
            if name.startswith("on"):
                self.fault(f"<{tag} {name}>")
            if name in LOADING and not value.startswith("#"):
                self.fault(f"<{tag} {name}={value}>")
            if name == "style":
                self.fault(f"<{tag} style={value}>")
        if "id" in values:
            if values["id"] in self.ids:
                self.fault(f"the id {values['id']} is there twice")
            self.ids.add(values["id"])
        self.references += values.get("aria-labelledby", "").split()
        if values.get("href", "").startswith("#"):
            self.references.append(values["href"][1:])
        self.enter(tag, values)
        if tag not in VOID:
            self.open.append(tag)

    def enter(self, tag, values):
        if tag == "meta":
            self.metas[values.get("http-equiv", values.get("name", "charset"))] = values.get(
                "content", ""
            )
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append((int(tag[1]), ""))
        if tag == "table":
            self.tables.append({"caption": "", "heads": 0, "rows": []})
        if tag == "th":
            if values.get("scope") not in ("row", "col"):
                self.fault("<th> without a scope")
            self.tables[-1]["heads"] += 1
        if tag == "tr":
            self.tables[-1]["rows"].append([])
        if tag in ("th", "td"):
            self.tables[-1]["rows"][-1].append("")
        if tag == "html" and not values.get("lang"):
            self.fault("<html> without a language")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> within {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
            return
        self.text.append(data)
        if not self.open:
            if data.strip():
                self.fault(f"text outside of the page: {data[:50]}")
            return
        if self.headings and any(tag in self.open for tag in ("h1", "h2", "h3", "h4")):
            self.headings[-1] = (self.headings[-1][0], self.headings[-1][1] + data)
        if "caption" in self.open:
            self.tables[-1]["caption"] += data
        if self.open[-1] in ("th", "td"):
            self.tables[-1]["rows"][-1][-1] += data

    def finish(self):
        self.close()
        if self.open:
            self.fault(f"not closed: {self.open}")
        for name in self.references:
            if name not in self.ids:
                self.fault(f"nothing has the id {name}")
        for meta in ("doctype", "charset", "viewport", "Content-Security-Policy"):
            if meta not in self.metas:
                self.fault(f"no {meta}")
        if not self.metas.get("Content-Security-Policy", "").startswith("default-src 'none'"):
            self.fault("the policy lets something load")
        if "url(" in self.style or "@import" in self.style:
            self.fault("the style sheet loads something")
        for query in ("prefers-color-scheme: dark", "max-width"):
            if query not in self.style:
                self.fault(f"the style sheet does not ask for {query}")
        self.check_tables()
        self.check_headings()

    def check_tables(self):
        for table in self.tables:
            if not table["caption"] or not table["heads"]:
                self.fault(f"a table without a caption or headings: {table['caption']}")
            if len({len(row) for row in table["rows"]}) > 1:
                self.fault(f"rows of different lengths: {table['caption']}")

    def check_headings(self):
        level = 0
        for its, text in self.headings:
            if its > level + 1 or not text.strip():
                self.fault(f"heading {its} after {level}: {text}")
            level = its
        if sum(its == 1 for its, _ in self.headings) != 1:
            self.fault("not one <h1>")


def main():
    page = Page()
    with open(sys.argv[1], encoding="utf-8", errors="strict") as file:
        page.feed(file.read())
    page.finish()
    print(
        json.dumps(
            {
                "text": " ".join("".join(page.text).split()),
                "headings": [text for _, text in page.headings],
                "tables": {table["caption"]: table["rows"] for table in page.tables},
            }
        )
    )
    for fault in page.faults:
        print(fault, file=sys.stderr)
    return 1 if page.faults else 0


sys.exit(main())
