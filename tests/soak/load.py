"""python tests/soak/load.py [seconds [sessions]]: browsers on one server that move sliders and press Run here, all at the same time.

Ends with status 1 if anything was thrown, a session was shown what another had chosen or run, or the server kept more than a tenth of
the memory that it had held after one session had come, run kernels and gone.
"""
import asyncio
import itertools
import random
import re
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, Error, Page, async_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from measure_waiting import SLIDER, TEXTS, WATCH  # noqa: E402
from served_app import BROWSER_ARGUMENTS, STANDS_STILL, chromium, served  # noqa: E402

CHANGED = WATCH.replace("still() && ", "")  # while a run goes on here its progress is asked for every second: the script is seldom still
PATIENCE = 120  # seconds for one step: a machine under load is slow, not broken
RUNS = .2  # of the steps are followed by a press of Run here
KEPT = 1.10
LONGEST = 10_000  # queries: the walk turns back there, so that runs end
FORGOTTEN_SECONDS = 125  # Streamlit keeps a session whose browser has gone for two minutes, and lets it go when the next one leaves
SETTLED_SECONDS = 60  # for that
SHAPES = list(itertools.product((1, 2, 4, 8, 32, 64, 128), (16, 32, 48)))  # heads and head size: another one for each session
SEEN = """() => ({
    url: location.href,
    n: Number(document.querySelector('[data-testid=stSidebar] [data-testid=stSliderThumbValue]').innerText),
    shape: [...document.querySelectorAll('[data-testid=stSidebar] [data-testid=stCaptionContainer]')].map(text => text.innerText).join(),
    said: [...document.querySelectorAll('[data-testid=stAlert]')].map(text => text.innerText),
    verdicts: document.querySelector('[data-testid=stMain]').innerText.split('\\n').filter(line => line.includes('against float64')),
    thrown: [...document.querySelectorAll('[data-testid=stException]')].map(text => text.innerText),
})"""


@dataclass
class Seen:
    """What all sessions met. steps: seconds each; late: those that were not drawn within PATIENCE; presses of Run here; busy: those that
    were told that the queue is full; verdicts: on counts, seen after a step; ended: told elsewhere that its run has ended; thrown:
    whatever should not be said; leaks: what another session chose or ran."""

    steps: list[float] = field(default_factory=list)
    late: int = 0
    presses: int = 0
    busy: int = 0
    verdicts: int = 0
    ended: int = 0
    thrown: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)


async def opened(browser: Browser, address: str, shape: tuple[int, int], seen: Seen) -> Page:
    """Traffic in a browser of its own, at a shape that nobody else has, once its chart is there."""
    heads, d = shape
    page = await (await browser.new_context(viewport=dict(width=1280, height=720))).new_page()
    page.on("pageerror", lambda error: seen.thrown.append(str(error)))
    await page.goto(f"{address}/traffic?heads={heads}&d={d}&n=256", timeout=1000 * PATIENCE)
    await page.wait_for_selector(STANDS_STILL, timeout=1000 * PATIENCE)
    await page.wait_for_function(f"({TEXTS})()", timeout=1000 * PATIENCE)
    return page


async def one_visit(browser: Browser, address: str, seen: Seen) -> None:
    """A session that comes, has the kernels run, for which the server imports much, moves for a few seconds and goes."""
    page = await opened(browser, address, SHAPES[-1], seen)
    await page.get_by_role("button", name="Run here", exact=True).click(timeout=1000 * PATIENCE)
    await page.get_by_text("against float64").first.wait_for(timeout=1000 * PATIENCE)
    await session(page, SHAPES[-1], time.monotonic() + 5, Seen())


async def session(page: Page, shape: tuple[int, int], until: float, seen: Seen) -> None:
    """One person, who walks N up and down and has it run now and then, until it is late; then leaves."""
    try:
        while time.monotonic() < until:
            await step(page, shape, seen)
            if random.random() < RUNS:
                seen.presses += 1
                await page.get_by_role("button", name="Run here", exact=True).click(timeout=1000 * PATIENCE)
                await page.wait_for_timeout(700)
                seen.busy += any(text.startswith("Busy: ") for text in (await page.evaluate(SEEN))["said"])
            await page.wait_for_timeout(random.randrange(300, 1500))
    except (Error, TimeoutError) as error:
        seen.thrown.append(f"{shape}: {type(error).__name__} {error}"[:300])
    await page.context.close()


async def step(page: Page, shape: tuple[int, int], seen: Seen) -> None:
    """A key on the slider of N, until the chart says something else; and whose state is then on show."""
    before = (await page.evaluate(SEEN))["n"]
    key = "ArrowRight" if before < 256 or before < LONGEST and random.random() < .5 else "ArrowLeft"
    await page.locator(SLIDER).first.focus()
    await page.evaluate("([watch, before]) => { window.repaint = eval(watch)({before}); }", [CHANGED, await page.evaluate(f"({TEXTS})()")])
    await page.keyboard.press(key)
    try:
        seen.steps.append(await asyncio.wait_for(page.evaluate("() => window.repaint"), PATIENCE) / 1000)
    except TimeoutError:  # the browser had no turn to draw, which is no fault of the server; what it says is looked at all the same
        seen.steps.append(PATIENCE)
        seen.late += 1
    there = await page.evaluate(SEEN)
    look(there, shape, seen)
    if (there["n"] > before) != (key == "ArrowRight"):
        seen.leaks.append(f"{shape}, N = {before:g} and {key}: {there}"[:600])


def look(there: dict, shape: tuple[int, int], seen: Seen) -> None:
    """Books what a page says: of runs that ended, and whose settings and runs they are."""
    seen.thrown += there["thrown"]
    seen.verdicts += sum("cells counted as predicted" in line for line in there["verdicts"])
    seen.thrown += [line for line in there["verdicts"] if "cells counted as predicted" not in line]
    heads, d = shape
    words = f"{heads} head{'s' * (heads != 1)} · d = {d} ·"
    mine = f"heads={heads}&" in f"{there['url']}&" and f"d={d}&" in f"{there['url']}&" and there["shape"].startswith(words)
    others = [text for text in there["said"] if text.startswith("The run at") and f"({words}" not in text]
    seen.ended += sum(text.startswith("The run at") for text in there["said"])
    if not mine or others:
        seen.leaks.append(f"{shape}: {there}"[:600])


def server_process(address: str) -> int:
    """The one whose command line names the port."""
    port = f"--server.port={address.rpartition(':')[2]}"
    return next(int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if port in path.read_bytes().decode().split("\0"))


def memory(process: int) -> float:
    """MB that the server's process holds, without its worker."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) * 1024 / 1e6


async def watch_memory(process: int, samples: list[float]) -> None:
    while True:
        samples.append(memory(process))
        await asyncio.sleep(.5)


async def load(address: str, seconds: float, count: int, seen: Seen) -> dict[str, float]:
    """MB of the server: idle, after one session has come and gone, at its peak, and after all have gone, been forgotten, and one more has
    come and gone."""
    process = server_process(address)
    held, samples = dict(idle=memory(process)), []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
        await one_visit(browser, address, seen)
        held["start"] = memory(process)
        watching = asyncio.create_task(watch_memory(process, samples))
        pages = [await opened(browser, address, shape, seen) for shape in SHAPES[:count]]  # one after the other, as people come
        until = time.monotonic() + seconds
        await asyncio.gather(*(session(page, shape, until, seen) for page, shape in zip(pages, SHAPES)))
        await asyncio.sleep(FORGOTTEN_SECONDS)
        await one_visit(browser, address, seen)
        await browser.close()
        gone = time.monotonic()
        while memory(process) > KEPT * held["start"] and time.monotonic() < gone + SETTLED_SECONDS:
            await asyncio.sleep(1)
        watching.cancel()
    return held | dict(peak=max(samples), after=memory(process))


def main(seconds: float = 300, count: int = 20) -> int:
    seen = Seen()
    with tempfile.TemporaryFile("w+") as log, served(output=log) as address:
        held = asyncio.run(load(address, seconds, count, seen))
        log.seek(0)
        seen.thrown += [line.strip() for line in log if "Traceback" in line or "Error" in line]
    steps = sorted(seen.steps)
    print(f"{count} sessions, {seconds:g} s: {len(steps)} steps, median {1000 * statistics.median(steps):.0f} ms, "
          f"p95 {1000 * steps[int(.95 * len(steps))]:.0f} ms, longest {1000 * steps[-1]:.0f} ms, {seen.late} not drawn in {PATIENCE} s")
    print(f"Run here pressed {seen.presses} times: {seen.busy} times busy; told {seen.ended} times that a run elsewhere has ended, "
          f"{seen.verdicts} verdicts seen, every cell counted as predicted")
    print(f"{len(seen.thrown)} exceptions, {len(seen.leaks)} states of another session")
    sizes = ", ".join(f"{when} {size:.0f}" for when, size in held.items())
    print(f"server memory, MB: {sizes}, which is {held['after'] / held['start']:.0%} of the start")
    print(*seen.thrown, *seen.leaks, sep="\n")
    return int(bool(seen.thrown or seen.leaks) or held["after"] > KEPT * held["start"])


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3])))
