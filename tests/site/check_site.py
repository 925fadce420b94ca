#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages that scripts/site.py makes: every link inside leads somewhere, nothing comes from elsewhere, and the search finds.

usage: check_site.py SOURCE

The search is tried in a headless Chromium, if there is one.
"""
import html.parser
import importlib.util
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(sys.argv[1]).resolve()
SKIPPED = 77
# Queries, and a page that must be among the first five answers.
QUERIES = {"CUPIPE_SCHEDULE": "ENVIRONMENT.html", "docker image": "CI.html", "shared memory between processes": "architecture/sharing.html",
           "cuMemAllocAsync": "API-COVERAGE.html", "zzqqxx": None}
failures, counted = [], [0]


def check(condition, text):
    counted[0] += 1
    if not condition:
        failures.append(text)
        print("not ok:", text)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        for name in ("src", "srcset", "data"):
            if values.get(name):
                self.loaded.append(values[name])
        if tag == "link":
            self.loaded.append(values.get("href", ""))


def check_links(folder):
    pages = {path.relative_to(folder).as_posix(): Page(path.read_text()) for path in folder.rglob("*.html")}
    documents = [path for path in [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md")]]
    check(len(pages) == len(documents), f"{len(pages)} pages of {len(documents)} documents")
    reached = {link_path(name, link) for name, page in pages.items() for link in page.links if "://" not in link}
    for name, page in sorted(pages.items()):
        for link in page.links + page.loaded:
            if re.match(r"(https?|mailto):", link):
                check(link in page.links, f"{name} loads {link}: nothing may come from elsewhere")
                continue
            target, anchor = link_path(name, link), link.partition("#")[2]
            check((folder / target).is_file(), f"{name}: {link} leads nowhere")
            if anchor and target in pages:
                check(anchor in pages[target].anchors, f"{name}: {target} has no heading #{anchor}")
        check(name in reached, f"{name} is linked from somewhere")
    for path in [*folder.glob("*.css"), *folder.glob("search.js")]:
        check("http" not in path.read_text() and "@import" not in path.read_text(), f"{path.name} loads something")
    return pages


def link_path(name, link):
    path = link.partition("#")[0]
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name


def check_index(folder, pages):
    text = (folder / "search-index.js").read_text()
    entries = json.loads(re.fullmatch(r"const searchIndex = (.*);\n", text, re.S)[1])
    found = {address.partition("#")[0] for address, *_ in entries}
    check(found == set(pages), f"not to be found: {sorted(set(pages) - found)}")
    for address, *_ in entries:
        page, _, anchor = address.partition("#")
        check(not anchor or anchor in pages[page].anchors, f"the search leads to {address}, which is not there")


def check_search(folder):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        print("the search was not tried: there is no Chromium")
        return
    for query, page in QUERIES.items():
        with tempfile.TemporaryDirectory() as profile:
            run = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                                  "--virtual-time-budget=4000", "--dump-dom", f"file://{folder}/CHECKS.html#q={query}"],
                                 capture_output=True, text=True, timeout=100, env={**os.environ, "HOME": profile}, check=False)
        results = re.search(r'<div id="results">(.*?)</div>', run.stdout, re.S)
        links = re.findall(r'<li><a href="\./([^"#]+)', results[1]) if results else None
        check(links is not None, f"{query}: no results are shown: {run.stderr[-300:]}")
        if links is not None:
            check(page in links[:5] if page else not links, f"{query}: {links[:5]}, not {page}")


def main():
    if not importlib.util.find_spec("markdown"):
        print("skipped: python3-markdown is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "site"
        run = subprocess.run([sys.executable, SOURCE / "scripts" / "site.py", folder], capture_output=True, text=True, check=False)
        check(run.returncode == 0, f"site.py: {run.stdout} {run.stderr}")
        pages = check_links(folder)
        check_index(folder, pages)
        check_search(folder)
    print(f"{counted[0] - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
