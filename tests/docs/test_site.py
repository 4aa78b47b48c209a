"""The site: docs/book/gather.py finds a place for every page, link and formula.

`.ci/run` builds it, strictly."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from slp.engines import ENGINES
from tests.docs.pages import ROOT, anchors_of, links_of


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "book" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def book() -> ModuleType:
    return script("gather")


def mathml(latex: str, alone: bool) -> str:
    """Stands for the conversion, which needs a package that tests do not have."""
    return f"<math {alone}>{latex}</math>"


@pytest.fixture(scope="module")
def pages(book: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book") / "pages"
    book.gather(folder, mathml)
    for page in folder.rglob("*.md"):  # titles of blocks, which other pages have not
        page.write_text(re.sub(r"^(```\w+) title=.*$", r"\1", page.read_text("utf-8"), flags=re.M))
    return folder


def test_links_of_the_site_lead_somewhere(pages: Path) -> None:
    broken = []
    for page in pages.rglob("*.md"):
        for link in links_of(page):
            target, _, anchor = link.partition("#")
            file = page.parent / target if target else page
            if not file.is_file() or (anchor and anchor not in anchors_of(file)):
                broken.append((page.relative_to(pages).as_posix(), link))
    assert broken == []


def test_every_page_is_in_the_navigation_once(pages: Path) -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    listed = re.findall(
        r"^ +- (?:[^:\n]+: )?(\S+\.md)$", text[text.index("\nnav:") :], re.MULTILINE
    )
    assert sorted(listed) == sorted(p.relative_to(pages).as_posix() for p in pages.rglob("*.md"))


_PAGE = """# Title
The mean $\\bar y_1$ costs `$5 | $6`; [a prior](../priors/gmt.slp).
- [iris](../examples/iris/prior.slp), [engines.md](engines.md), [data.md](data.md#a)

$$
a_1 * b
$$

<!-- options: mh -->
| a | `x \\| y` |
| --- | --- |

<!-- file: p.slp -->
```prolog
% $5 and $6
```
"""
_OF_THE_SITE = """# Title
The mean <math False>&#92;bar y&#95;1</math> costs `$5 | $6`; [a prior](library.md#gmtslp).

- [iris](examples/iris/README.md#priorslp), [Which engine?](engines.md), [data.md](data.md#a)

<div class="formula" tabindex="0"><math True>a&#95;1 &#42; b</math></div>

| a | `x | y` |
| --- | --- |

```prolog title="p.slp"
% $5 and $6
```
"""


def test_a_page_of_the_site(book: ModuleType) -> None:
    assert book.page_text(_PAGE, "docs/page.md", mathml) == _OF_THE_SITE


def test_what_the_site_does_not_have_is_refused(book: ModuleType) -> None:
    with pytest.raises(ValueError, match="the site has no tests/conftest.py"):
        book.page_text("[tests](../tests/conftest.py)", "docs/page.md", mathml)


def test_the_picture_of_the_engines_is_what_its_script_draws() -> None:
    drawn = script("which_engine")
    assert drawn.FILE.read_text("utf-8") == drawn.picture()
    named = [name for _, name, _ in drawn.STEPS if not name.startswith("slp")]
    assert {*named, drawn.LAST[0]} <= ENGINES.keys()
