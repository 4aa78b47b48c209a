"""The report as text: its sections, its numbers, and that nothing in it is loaded or run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import TypeAlias

import polars as pl
import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run
from slp.report import report_html
from slp.report.html import Html, tag
from tests.report.conftest import ATTRIBUTE, END, SCRIPT, patients

Page: TypeAlias = Callable[[str], str]
Run: TypeAlias = Callable[[str], slp.Posterior]

NAMES = ["classes", "draws", "numbers", "durations", "hostile", "prior", "one tree"]
SECTIONS = ["summary", "trees", "features", "pictures", "program", "constraints", "data", "engine"]
SECTIONS += ["evidence", "diagnostics", "again"]


class Elements(HTMLParser):
    """The elements of a page, their attributes, and the text outside of styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._in_style = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if not self._in_style:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_section_is_there_and_nothing_is_loaded(name: str, page: Page) -> None:
    found = Elements(page(name))
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert [key for key in ids if key in SECTIONS] == SECTIONS
    assert {tag for tag, _ in found.tags}.isdisjoint({"script", "img", "link", "iframe", "object"})
    for _, attributes in found.tags:
        assert not [key for key in attributes if key.startswith("on")]
        for key in ("href", "src", "xlink:href"):
            assert (attributes.get(key) or "#").startswith(("#", "data:image/png;base64,"))
    assert not re.search(r"url\((?!#)|@import", page(name))


def test_names_are_text(page: Page) -> None:
    told = Elements(page("hostile")).text
    for name in (SCRIPT, ATTRIBUTE, END):
        assert name in told
        assert name not in page("hostile").replace("</style>", "", 1)
    assert "\u202e" not in page("hostile")


def test_the_numbers_are_those_of_the_posterior(page: Page, posterior: Run) -> None:
    told, run_ = Elements(page("classes")).text, posterior("classes")
    assert f"{run_.log_evidence:.6f}, exact" in told
    for name, use in run_.split_probabilities().items():
        assert run_.prior_uses_kind == "exact" and use.prior_probability is not None
        beside = f"{use.probability:.4f} {use.prior_probability:.4f}"
        assert f"{name} {beside} {use.expected_splits:.4f}" in told
    assert "the same under the prior" in told and "The prior's probabilities are exact." in told
    best = run_.map()
    assert best.log_posterior is not None
    assert "The numbers are exact" in told and "Most probable tree" in told
    assert run_.table.digest in told and slp.__version__ in told
    assert "slp report classes --seed 1" in told


@pytest.mark.slow
def test_constraints_are_checked(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Elements(page("classes")).text
    assert "No split cuts the box infant" in told or "infant" in told
    assert "holds holds holds" in told and "broken" not in told
    program = slp.parse(":- use(growtree). :- constraint(first(age)).")
    posterior = program.posterior(patients(), seed=1)
    other = slp.parse(":- use(growtree). :- constraint(first(dose)).").posterior(patients(), seed=1)
    monkeypatch.setattr(posterior, "k_best", other.k_best)  # an engine with a fault
    assert "broken: " in Elements(report_html(posterior)).text


@pytest.mark.slow
def test_a_function_of_the_caller_is_checked(page: Page) -> None:
    def small(tree: slp.Tree) -> bool:
        return tree.n_leaves <= 2

    program = slp.parse(":- use(growtree). :- support(min_leaf(3)).").require(small)
    posterior = program.posterior(patients(), engine="mh", seed=1, draws=50, chains=2, warmup=50)
    assert "asked" in Elements(report_html(posterior)).text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("draws", "Do not use these numbers"),
        ("prior", "It has no evidence"),
        ("one tree", "that a search found"),
        ("numbers", "is off by"),
        ("durations", "gamma_exponential"),
    ],
)
def test_each_kind_of_run_says_what_it_is(name: str, words: str, page: Page) -> None:
    assert words in Elements(page(name)).text


@pytest.mark.slow
def test_numbers_that_have_not_converged_have_no_errors(page: Page, posterior: Run) -> None:
    told = Elements(page("draws")).text
    use = posterior("draws").split_probabilities()["age"]
    assert use.prior_probability is not None  # it has an error of its own, or is exact
    assert f"age {use.probability:.4f}? {use.prior_probability:.4f}" in told
    assert f" {use.expected_splits:.4f}?" in told
    assert "(? not converged)" in told and "its error is not known" in told


def test_classes_that_are_numbers_are_called_classes() -> None:
    posterior = slp.load("growtree").posterior([[1.0], [2], [3], [4]], [0, 0, 1, 1], seed=1)
    told = Elements(posterior.map_tree()._repr_html_()).text
    assert re.search(r"class [01]: 0\.\d\d \(90 %: 0\.", told)


@pytest.mark.slow
def test_the_prior_of_a_program_that_names_code_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "wide_shape.py").write_text("def wide(tree):\n    return tree.n_leaves > 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    program = slp.parse(':- use(growtree). :- constraint(python("wide_shape:wide")).')
    with pytest.warns(slp.SlpWarning, match="not converged"):
        posterior = program.posterior(
            patients(), engine="mh", allow_code=True, seed=1, draws=20, warmup=20, thin=1
        )
    page = report_html(posterior)
    assert "not show the prior: the report runs no code that the program names" in page
    assert "E650" not in page


@pytest.mark.slow
def test_a_page_without_the_use_of_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of time can end after the trees and before the rest: the page has what is known."""
    posterior = slp.load("growtree").posterior(patients(), seed=1)

    def no_time(_: slp.Posterior) -> None:
        slp.load("growtree").posterior(patients(), engine="exact", time=1e-9, draws=0)

    monkeypatch.setattr(slp.Posterior, "split_probabilities", no_time)
    monkeypatch.setattr(slp.Posterior, "tree_count", no_time)
    found = Elements(report_html(posterior))
    assert "Most probable tree" in found.text and "The use of features is not known" in found.text
    assert "The number of trees is left out: " in found.text
    for name in ("features", "thresholds", "dependence", "heat"):
        assert f"The picture of {name} is missing (E540)" in found.text


@pytest.mark.slow
def test_large_trees_behind_the_first_are_closed(
    monkeypatch: pytest.MonkeyPatch, posterior: Run
) -> None:
    run_ = posterior("classes")
    larger = [found.tree.n_leaves > 1 for found in run_.k_best(3)[1:]]
    assert "Show this tree" not in report_html(run_) and any(larger)
    monkeypatch.setattr("slp.report.answer._LEAVES_OPEN", 1)
    assert report_html(run_).count("Show this tree") == sum(larger)


def test_bars_have_tooltips(page: Page, posterior: Run) -> None:
    mass = posterior("classes").leaf_distribution()
    assert f"<title>2: {mass[2]:.4f} (posterior, exact)</title>" in page("classes")
    use = posterior("classes").split_probabilities()["age"]
    assert f"<title>age: {use.probability:.4f} (posterior, exact)</title>" in page("classes")


def test_without_matplotlib_the_page_says_so() -> None:
    program = """
import sys
sys.modules["matplotlib"] = None
import slp
from slp.report import report_html
posterior = slp.parse(":- use(growtree).").posterior([[1.0], [2.0], [3.0]], ["a", "b", "b"])
print(report_html(posterior))
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, check=True)
    told = Elements(done.stdout.decode()).text
    assert "This page has no pictures (E570): pictures need matplotlib" in told


def test_without_matplotlib_the_command_says_so(tmp_path: Path) -> None:
    patients()[:6].write_csv(tmp_path / "data.csv")
    program = """
import sys
sys.modules["matplotlib"] = None
from slp_commands import main
main()
"""
    command = [sys.executable, "-P", "-c", program, "report", "growtree", "data.csv"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, text=True)
    lacking = "without pictures: pictures need matplotlib, which is not installed; install it: "
    assert done.stdout == f"report.html written {lacking}`pip install matplotlib`\n"


@pytest.mark.slow
def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    patients().write_csv("data.csv")
    assert run(slp_command, ["report", "growtree", "data.csv", "--seed", "7"]) == 0
    assert capsys.readouterr().out == "report.html written\n"
    told = Elements(Path("report.html").read_text("utf-8")).text
    assert " report growtree data.csv --seed 7" in told
    assert "leapfrogs" not in told  # an option of another engine
    assert run(slp_command, ["report", "growtree", "data.csv", "-o", "none/page.html"]) == 2


@pytest.mark.slow
def test_a_saved_run_has_a_report(tmp_path: Path, posterior: Run) -> None:
    posterior("classes").save(tmp_path / "run.slpz")
    slp.load_posterior(tmp_path / "run.slpz").report(tmp_path / "page.html")
    told = Elements((tmp_path / "page.html").read_text("utf-8")).text
    assert f"{posterior('classes').log_evidence:.6f}, exact" in told
    with pytest.raises(slp.UsageError) as caught:
        posterior("classes").report(tmp_path / "none" / "page.html")
    assert caught.value.diagnostics[0].code == "E701"


@pytest.mark.slow
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("text", [":- use(growtree).", ":- trees(3)."])
@pytest.mark.filterwarnings("ignore:.*W530")
def test_a_run_saved_without_its_table_has_a_report(
    classes: bool, text: str, tmp_path: Path
) -> None:
    """What needs the rows says so in its place; all else is there."""
    frame = pl.DataFrame({"x": range(12), "z": [0, 1, 2] * 4})
    response = list("aaaaaabbbbbb") if classes else [x + 0.5 * (x > 5) for x in range(12)]
    engine = "additive" if "trees" in text else "mh"
    options = {"engine": engine, "seed": 1, "draws": 40, "chains": 2, "warmup": 10, "thin": 1}
    run = slp.parse(text).posterior(frame, response, **options)  # type: ignore[arg-type]
    run.save(tmp_path / "run.slpz")
    saved = slp.load_posterior(tmp_path / "run.slpz")
    told = Elements(report_html(saved)).text
    assert "The pictures do not show the prior (E562)" in told
    assert "The picture of check is missing (E562)" in told
    assert ("a, b; how many rows each has is not known (E562)" in told) == classes
    assert f"SHA-256 of what was read {run.table.digest}" in told


def test_escaping() -> None:
    assert tag("p", "<&\"'\x1b", title='"<') == (
        '<p title="&quot;&lt;">&lt;&amp;&quot;&#x27;\\x1b</p>'
    )
    assert tag("p", Html("<b>x</b>"), hidden=True, lang=False) == "<p hidden><b>x</b></p>"
