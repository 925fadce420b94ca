#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes pages for a browser of the documents: static, with a search that needs no server, and nothing from elsewhere.

usage: site.py FOLDER

Needs python3-markdown; with python3-pygments code has colours. Style and search are in scripts/site_files.
"""
import html
import json
import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

try:
    import markdown
except ImportError:
    markdown = None  # main() sees to it

ROOT = Path(__file__).resolve().parents[1]
SYSTEM_PYTHON = "/usr/bin/python3"  # for which distributions package modules
FILES = Path(__file__).resolve().parent / "site_files"
# The navigation: a heading and its pages. What is named nowhere comes under "More" or beside the page of its folder.
SECTIONS = [
    ("Using it", ["README", "docs/INSTALL", "docs/PYTHON", "docs/PYTORCH", "docs/LIBRARIES", "docs/RUNTIME", "docs/CLANG", "docs/CUBINS",
                  "docs/CI", "docs/ENVIRONMENT", "docs/MPI", "docs/COLLECTIVES", "docs/NVML", "docs/OPENGL", "docs/INTEROP"]),
    ("Finding mistakes", ["docs/CHECKS", "docs/CHECKS-KERNELS", "docs/DEBUGGING", "docs/PROFILING", "docs/TRACING"]),
    ("What it does", ["docs/FEATURES", "docs/LIMITS", "docs/DIFFERENCES", "docs/INSTRUCTIONS", "docs/GRAPHS", "docs/TEXTURES",
                      "docs/CLIENTS", "docs/CONFORMANCE", "docs/CONFORMANCE-KIT", "docs/RELIABILITY", "docs/performance/README"]),
    ("Working on it", ["CONTRIBUTING", "docs/ARCHITECTURE", "docs/CLEANROOM", "docs/LOCKS", "docs/PTXAS-BUGS", "docs/RELEASING",
                       "SECURITY", "CHANGELOG"]),
    ("Lists", ["docs/API-COVERAGE", "docs/RUNTIME-COVERAGE", "docs/LIBRARIES-COVERAGE", "docs/NVML-COVERAGE", "docs/PTX-FORMS"]),
]
FOLDERS = {"docs/architecture/": "How it is made", "docs/clients/": "Programs that were run", "docs/libraries/": "Libraries",
           "docs/performance/": "Measurements"}
EXTENSIONS = ["tables", "fenced_code", "sane_lists", "toc"]


def slug(title, _separator=None):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def sources():
    """{name without .md: path} of every document."""
    paths = [ROOT / (name + ".md") for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")]
    paths += sorted((ROOT / "docs").rglob("*.md"))
    return {path.relative_to(ROOT).as_posix()[:-3]: path for path in paths if path.exists()}


def output_name(name):
    """Where the page of a document is written."""
    name = "index" if name == "README" else name[len("docs/"):] if name.startswith("docs/") else name
    return name + ".html"


def title_of(text, name):
    match = re.search(r"^# (.+)$", text, re.M)
    return re.sub(r"`", "", match[1]) if match else name


class Site:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.documents = sources()
        self.texts = {name: path.read_text(encoding="utf-8") for name, path in self.documents.items()}
        self.titles = {name: title_of(text, name) for name, text in self.texts.items()}
        self.index, self.problems = [], []

    def target(self, name, link):
        """What a link of a document becomes. Sources are copied beside the pages, to be read as text."""
        path, _, anchor = link.partition("#")
        if "://" in path or path.startswith("mailto:") or not path:
            return link
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        here = posixpath.dirname(output_name(name))
        if wanted.endswith(".md") and wanted[:-3] in self.documents:
            found = output_name(wanted[:-3])
        elif (ROOT / wanted).is_file():
            found = wanted if wanted.startswith("docs/images/") else "source/" + wanted + ".txt"
            found = found.replace("docs/images/", "images/")
            (self.folder / found).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / wanted, self.folder / found)
        else:
            self.problems.append(f"{name}.md: {link} leads nowhere")
            return link
        return posixpath.relpath(found, here or ".") + ("#" + anchor if anchor else "")

    def title_by_file(self, name, file):
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(name), file))
        return self.titles.get(wanted, file + ".md")

    def body(self, name):
        """The page as HTML, with its links followed, and its list of headings."""
        text = re.sub(r"^<!-- (SPDX|end of|\w+: made).*?-->\n", "", self.texts[name], flags=re.M)
        converter = markdown.Markdown(extensions=EXTENSIONS, extension_configs={"toc": {"slugify": slug, "toc_depth": "2-3"}})
        made = converter.convert(lists_apart(text))
        made = re.sub(r'(href|src)="([^"]*)"', lambda m: '%s="%s"' % (m[1], html.escape(self.target(name, html.unescape(m[2])))), made)
        # A name of a file is what GitHub shows; here pages have titles.
        made = re.sub(r'>([\w/-]+)\.md</a>', lambda m: ">%s</a>" % html.escape(self.title_by_file(name, m[1])), made)
        made = re.sub(r"<thead>\s*<tr>(\s*<th[^>]*></th>)+\s*</tr>\s*</thead>", "", made)
        made = made.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        return coloured(made), converter.toc_tokens

    def navigation(self, current):
        here = posixpath.dirname(output_name(current)) or "."
        named = {name for _, names in SECTIONS for name in names}
        sections = [(title, [name for name in names if name in self.documents]) for title, names in SECTIONS]
        for folder, title in FOLDERS.items():
            sections.append((title, [name for name in self.documents if name.startswith(folder) and name not in named]))
        listed = {name for _, names in sections for name in names}
        sections.append(("More", [name for name in self.documents if name not in listed]))
        parts = []
        for title, names in sections:
            if not names:
                continue
            links = "".join('<li><a href="%s"%s>%s</a></li>' % (
                posixpath.relpath(output_name(name), here), ' aria-current="page"' if name == current else "",
                html.escape(self.titles[name])) for name in names)
            parts.append('<details%s><summary>%s</summary><ul>%s</ul></details>' % (
                " open" if current in names or title == "Using it" else "", html.escape(title), links))
        return "".join(parts)

    def add_to_index(self, name, made):
        """Each section of a page is found by itself."""
        for part in re.split(r"(?=<h[1-3] id=)", made):
            match = re.match(r'<h[1-3] id="([^"]+)">(.*?)</h', part, re.S)
            part = re.sub(r"</?(code|a|em|strong|span)\b[^>]*>", "", part)  # within a word
            text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", part)).split())
            if not text:
                continue
            heading = " ".join(html.unescape(re.sub(r"<[^>]+>", "", match[2])).split()) if match else self.titles[name]
            text = text[len(heading):].strip() if match and text.startswith(heading) else text
            anchor = "#" + match[1] if match and match[1] != slug(self.titles[name]) else ""
            self.index.append([output_name(name) + anchor, self.titles[name], heading, text])

    def page(self, name):
        made, headings = self.body(name)
        self.add_to_index(name, made)
        top = posixpath.relpath(".", posixpath.dirname(output_name(name)) or ".")
        inside = [child for heading in headings for child in ([heading] if heading["level"] > 1 else heading["children"])]
        contents = "".join('<li><a href="#%s">%s</a></li>' % (item["id"], item["name"]) for item in inside)
        template = (FILES / "page.html").read_text()
        values = {"title": html.escape(self.titles[name]), "top": top, "navigation": self.navigation(name), "body": made,
                  "contents": "<nav class=contents><b>On this page</b><ul>%s</ul></nav>" % contents if len(inside) > 1 else ""}
        return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template)

    def make(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in self.documents:
            path = self.folder / output_name(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.page(name), encoding="utf-8")
        for name in ("site.css", "search.js"):
            shutil.copyfile(FILES / name, self.folder / name)
        # A script rather than JSON: pages that are opened as files may load scripts and nothing else.
        entries = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
        (self.folder / "search-index.js").write_text("const searchIndex = %s;\n" % entries, encoding="utf-8")


def lists_apart(text):
    """A list or table behind a line of text begins a block, as on GitHub."""
    lines, fenced = [], False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        before = lines[-1] if lines else ""
        begins = re.match(r"(- |\* |\d+\. |\|)", line) and before.strip() and not re.match(r"\s*(- |\* |\d+\. |\|)|  ", before)
        if begins and not fenced:
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def coloured(made):
    """Code in a language that the fence names, with colours where Pygments is installed."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound
    except ImportError:
        return made

    def colour(match):
        try:
            lexer = get_lexer_by_name(match[1])
        except ClassNotFound:
            return match[0]
        return '<div class="code">%s</div>' % highlight(html.unescape(match[2]), lexer, HtmlFormatter())

    return re.sub(r'<pre><code class="language-(\w+)">(.*?)</code></pre>', colour, made, flags=re.S)


def main():
    if markdown is None:
        if os.path.exists(SYSTEM_PYTHON) and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
        sys.exit(f"{sys.executable} has no module markdown: install python3-markdown, or pip install markdown")
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    site = Site(sys.argv[1])
    site.make()
    for problem in site.problems:
        print(problem)
    print("%d pages, %d sections to find: %s/index.html" % (len(site.documents), len(site.index), sys.argv[1]))
    return 1 if site.problems else 0


if __name__ == "__main__":
    sys.exit(main())
