"""The report in a real browser: it shows, prints, fits a narrow screen, and can be read aloud."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.report.test_report import SECTIONS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classes", "draws", "numbers", "durations", "hostile"])
def test_in_a_browser(name: str, page: Callable[[str], str], browser: Any, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    file = tmp_path / "page.html"
    file.write_text(page(name), "utf-8")
    seen = browser.new_page()
    said: list[str] = []
    seen.on("console", lambda message: said.append(message.text))
    seen.on("pageerror", lambda error: said.append(str(error)))
    seen.on("dialog", lambda dialog: said.append(dialog.message))
    seen.on("request", lambda request: said.append(request.url))
    seen.goto(file.as_uri())
    assert said == [file.as_uri()]
    assert seen.title().startswith("Posterior over decision trees of ")
    for key in SECTIONS:
        assert seen.locator(f"#{key} h2").is_visible()
    sizes = seen.evaluate(
        "[...document.querySelectorAll('figure svg')].map(e => e.getBoundingClientRect().toJSON())"
    )
    assert len(sizes) == {"draws": 12, "numbers": 6}.get(name, 9)
    assert all(size["width"] > 200 and size["height"] > 100 for size in sizes)
    for scheme in ("light", "dark"):
        seen.emulate_media(color_scheme=scheme)
        found = axe.run(seen).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []
    assert seen.pdf().startswith(b"%PDF")
    seen.set_viewport_size({"width": 340, "height": 700})
    assert seen.evaluate("document.documentElement.scrollWidth") <= 340
    seen.close()
