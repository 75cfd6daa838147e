"""The page in a real browser: what a reader does with it, by mouse, by keyboard alone, and
with scripts turned off.

Chromium is the system's. Where it is missing the tests fail; `.ci/run` installs it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from mapal.report.page import render_page
from tests.report import builds

# Patience of a busy machine; what is right is there at once.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests here."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.fail("no chromium: the page cannot be tested (apt-get install chromium)")
    # Chromium refuses its sandbox to the super-user.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, in a directory whose name is as awkward as its programs' text."""
    path = tmp_path_factory.mktemp("a <b> & 'c'") / "index.html"
    path.write_bytes(render_page(builds.build()))
    return path


def address(file: Path, place: str = "") -> str:
    return f"file://{quote(str(file))}{place}"


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    """The page as it opens. Whatever the browser complains about fails the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page = context.new_page()
    complaints: list[str] = []
    requests: set[str] = set()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.add(request.url))
    page.goto(address(file))
    yield page
    assert requests == {address(file)}
    assert complaints == []
    context.close()


def marked(page: Page) -> str:
    return page.locator(".line.marked").inner_text()


def test_find_why_a_program_is_vectorised(page: Page) -> None:
    page.get_by_role("navigation", name="Programs").get_by_role("link", name="scale").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("scale demo")
    expect(page.get_by_label("Right", exact=True)).to_have_value("scale.plan.generic")
    plan = page.locator(".pane").nth(1)
    expect(plan).to_contain_text("Vectorised: 2 instructions of mapal_entry")
    row = plan.get_by_role("row", name="one pass, the body in place")
    row.get_by_role("link", name="3:10").click()
    assert marked(page) == "    a -> map { x -> x * 2.0 } -> ret;"
    page.get_by_label("Right", exact=True).select_option("scale.plan.zen4")
    expect(plan).to_contain_text("Not vectorised")
    assert "r=scale.plan.zen4" in page.url


def test_compare_llvm_text_of_two_targets(page: Page) -> None:
    page.goto(page.url + "#program-scale")
    page.get_by_label("Left", exact=True).select_option(label="LLVM text (generic)")
    page.get_by_label("Right", exact=True).select_option(label="LLVM text (zen4)")
    page.get_by_role("button", name="Differences").click()
    expect(page.get_by_role("status")).to_contain_text("1 difference: ")
    removed = page.locator("td.removed:not(.sign)").all_inner_texts()
    added = page.locator("td.added:not(.sign)").all_inner_texts()
    assert [line.replace("8 x", "16 x") for line in removed] == added
    assert len(added) == 2
    address = page.url
    page.reload()
    expect(page.get_by_role("button", name="Differences")).to_have_attribute("aria-pressed", "true")
    assert page.url == address
    page.get_by_role("button", name="Swap").click()
    assert page.locator("td.removed:not(.sign)").all_inner_texts() == added
    page.get_by_label("Left", exact=True).select_option(label="Assembly (generic)")
    page.get_by_label("Right", exact=True).select_option(label="Assembly (zen4)")
    expect(page.get_by_role("status")).to_contain_text("the texts are equal")
    page.get_by_label("Left", exact=True).select_option(label="Rewriting")
    expect(page.locator(".message")).to_contain_text("Only texts can be compared")


def test_see_which_law_fired(page: Page) -> None:
    page.goto(page.url + "#scale.rewriting")
    fired = page.locator("tr.fired")
    expect(fired).to_have_count(1)
    expect(fired).to_contain_text("inlining")
    expect(fired.get_by_role("cell").nth(1)).to_have_text("3")
    refused = page.get_by_role("row", name="the loop carries the token")
    expect(refused).to_contain_text("loop_lifting")
    refused.get_by_role("link").click()
    assert marked(page).startswith("    a -> map")


def test_see_where_a_program_traps(page: Page) -> None:
    row = page.get_by_role("row", name="stop traps")
    expect(row).to_contain_text("traps: index_oob")
    row.get_by_role("link", name="src/stop.mapal:3:10").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("stop demo")
    assert marked(page) == "    a -> map { x -> x * 2.0 } -> ret;"
    expect(page.locator(".view.current .settings")).to_contain_text(
        "index_oob at src/stop.mapal:3:10"
    )


def test_read_a_bench_chart(page: Page) -> None:
    page.get_by_role("link", name="Bench", exact=True).click()
    chart = page.get_by_role("figure", name="scale on generic")
    expect(chart).to_contain_text("mapal takes 0.50 of its time")
    widths = [bar.bounding_box() for bar in chart.locator(".median").all()]
    ours, numpy, c = (box["width"] for box in widths if box is not None)
    assert ours == pytest.approx(numpy / 2, rel=0.02)
    assert c < ours
    expect(chart).to_contain_text("numba: absent, not installed")


def test_read_a_roofline(page: Page) -> None:
    page.get_by_role("link", name="Bench", exact=True).click()
    figure = page.get_by_role("figure", name="Roofs on generic, 1 thread")
    expect(figure.get_by_role("img")).to_be_visible()
    row = figure.get_by_role("row", name="scale")
    expect(row).to_contain_text("0.25")
    expect(row).to_contain_text("40 %")


def test_see_what_a_build_changed(page: Page) -> None:
    page.get_by_role("link", name="Changes").click()
    row = page.get_by_role("row", name="build/ll/generic/scale")
    expect(row).to_contain_text("10 → 12")
    row.get_by_role("link").click()
    expect(page.get_by_role("status")).to_contain_text("1 difference")
    expect(page.locator("td.removed:not(.sign)")).to_contain_text("3.0")


def test_pictures_can_be_enlarged(page: Page) -> None:
    page.goto(page.url + "#scale.picture-lower")
    picture = page.get_by_role("img", name="Picture, lowered of scale")
    expect(page.locator(".zoom output")).to_have_text("150 %")
    page.get_by_role("button", name="Natural size").click()
    expect(picture).to_have_attribute("width", "200")
    page.get_by_role("button", name="Larger").click()
    expect(picture).to_have_attribute("width", "250")
    page.locator(".picture").focus()
    page.keyboard.press("0")
    page.keyboard.press("-")
    expect(picture).to_have_attribute("width", "160")
    page.get_by_role("button", name="Fit the width").click()
    expect(page.locator(".zoom output")).to_have_text("150 %")


def test_graphs_lead_to_the_source(page: Page) -> None:
    page.goto(page.url + "#program-scale?l=scale.source&r=scale.lower")
    page.get_by_role("link", name="@ 5-6").click()
    assert marked(page).startswith("    a -> map")


def test_everything_can_be_done_by_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("/")
    page.keyboard.type("sto")
    expect(page.locator("nav.programs li:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("stop demo")
    assert page.evaluate("document.activeElement.id") == "program-stop-title"
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.slice(0, 11)"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", f"{reached[-1]} shows no focus"
        if reached[-1] == "Differences":
            break
    assert "src/stop.ma" in reached
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Differences")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Left", exact=True)).not_to_have_value("stop.source")


def test_long_equal_parts_are_folded_and_unfold(browser: Browser, tmp_path: Path) -> None:
    lines = [f"  %v{number} = add i32 {number}, 1\n" for number in range(400)]
    other = [*lines[:200], "  ret void\n", *lines[201:390], *lines[395:]]
    program = builds.program(
        texts=[
            builds.text("ll", "".join(lines), "generic"),
            builds.text("ll", "".join(other), "zen4"),
        ]
    )
    file = tmp_path / "page.html"
    file.write_bytes(render_page(builds.build(program)))
    page = browser.new_page()
    page.goto(address(file, "#program-scale?l=scale.ll.generic&r=scale.ll.zen4&d=1"))
    expect(page.get_by_role("status")).to_contain_text("2 differences")
    assert page.locator("td.removed:not(.sign)").all_inner_texts() == [
        line.rstrip() for line in (lines[200], *lines[390:395])
    ]
    page.get_by_role("button", name="Next difference").click()
    expect(page.get_by_role("status")).to_have_text("Difference 1 of 2")
    page.get_by_role("button", name="197 equal lines").click()
    numbers = page.locator(".difference tr td:first-child").all_inner_texts()
    assert numbers[:200] == [str(number) for number in range(1, 201)]
    page.close()


def test_the_page_reads_without_scripts(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address(file))
    expect(page.get_by_role("row", name="stop traps")).to_contain_text("src/stop.mapal:3:10")
    expect(page.get_by_role("figure", name="scale on generic")).to_be_visible()
    expect(page.locator("#theme")).to_be_hidden()
    for panel, words in {
        "scale.source": "// Scales a signal.",
        "scale.ll.generic": "<8 x float>",
        "scale.plan.generic": "one pass, the body in place",
        "scale.rewriting": "the loop carries the token",
        "scale.assembly.zen4": "The same, byte for byte",
    }.items():
        details = page.locator(f"[id='{panel}']")
        details.locator("summary").focus()
        page.keyboard.press("Enter")
        # What tools call text leaves out `noscript`; what a person sees does not.
        content = details.locator(":scope > :not(summary)").first
        expect(content).to_be_visible()
        assert words in content.inner_text()
    page.locator("[id='scale.picture-lower'] summary").click()
    expect(page.locator("[id='scale.picture-lower'] svg")).to_be_visible()
    context.close()


_CONTRAST = """() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((part) => {
      const value = part / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const words = [...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim());
    if (!words || !node.checkVisibility() || node.closest("svg, script, option")) continue;
    const [a, b] = [getComputedStyle(node).color, behind(node)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${node.className} ${node.textContent.slice(0, 30)} ${ratio}`);
  }
  return poor;
}"""
_UNNAMED = """() => [...document.querySelectorAll("a, button, select, input")].filter((node) =>
  node.checkVisibility() && !(node.textContent.trim() || node.getAttribute("aria-label") ||
    (node.labels && node.labels.length))).map((node) => node.outerHTML)"""
_WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
PLACES = (
    "#overview",
    "#changes",
    "#timeline",
    "#bench",
    "#program-scale?l=scale.source&r=scale.rewriting",
    "#program-scale?l=scale.lower&r=scale.assembly.generic",
    "#program-scale?l=scale.ll.generic&r=scale.ll.zen4&d=1",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_and_controls_have_names(browser: Browser, file: Path, scheme: str) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    for place in PLACES:
        page.goto(address(file, place))
        assert page.evaluate(_CONTRAST) == []
        assert page.evaluate(_UNNAMED) == []
    page.set_viewport_size({"width": 360, "height": 700})
    for place in PLACES:
        page.goto(address(file, place))
        assert page.evaluate(_WIDER) <= 0, f"{place} is wider than a telephone"
    context.close()


def test_the_theme_can_be_chosen(page: Page) -> None:
    button = page.get_by_role("button", name="Theme")
    background = "getComputedStyle(document.body).backgroundColor"
    seen = []
    for _ in range(3):
        button.click()
        seen.append((button.inner_text(), page.evaluate(background)))
    assert [name for name, _ in seen] == ["Theme: light", "Theme: dark", "Theme: system"]
    assert seen[0][1] != seen[1][1]


def test_fifty_programs_open_at_once(browser: Browser, tmp_path: Path) -> None:
    """Elements are counted, not seconds: a closed panel must cost none."""
    long = builds.LL * 800
    programs = [
        builds.program(f"p{number}", texts=[builds.text("ll", f"; {number}\n{long}", "generic")])
        for number in range(50)
    ]
    file = tmp_path / "page.html"
    file.write_bytes(render_page(builds.build(*programs)))
    assert file.stat().st_size > 5_000_000
    page = browser.new_page()
    page.goto(address(file))
    assert page.evaluate("document.querySelectorAll('*').length") < 3000
    assert page.locator("nav.programs li").count() == 50
    page.close()


def test_hostile_programs_stay_text(browser: Browser, tmp_path: Path) -> None:
    hostile = "</pre></noscript><script>document.title = 'taken'</script><img src=x onerror=1>&amp;"
    program = builds.program(
        texts=[builds.text("source", hostile), builds.text("lower", hostile + "\n@ 5")],
        former=[builds.text("source", hostile + "?")],
    )
    file = tmp_path / "page.html"
    file.write_bytes(render_page(builds.build(program)))
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(address(file, "#program-scale?l=scale.source&r=scale.lower"))
    assert page.locator(".pane .line").all_inner_texts() == [hostile, hostile, "@ 5"]
    page.goto(address(file, "#program-scale?l=scale.source&r=scale.source.former&d=1"))
    expect(page.locator("td.added:not(.sign)")).to_have_text(hostile + "?")
    assert page.locator("img").count() == 0
    assert "taken" not in page.title()
    assert complaints == []
    page.close()
