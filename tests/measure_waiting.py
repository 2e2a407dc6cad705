"""How long the dashboard keeps a viewer waiting: for the first picture, for a slider's step, for a step in eight tabs at once.

Run by hand: python tests/measure_waiting.py [address]. A benchmark that prints. Targets on two cores: the first picture in a browser that
has cached nothing within 2.5 s, a step in 0.25 s (median) and 0.4 s (p95), a step in eight tabs at once within 1.5 s.
"""
import asyncio
import statistics
import sys
from contextlib import contextmanager, nullcontext

from choreographer import Browser
from playwright.sync_api import Page, sync_playwright
from served_app import BROWSER_ARGUMENTS, chromium, served, settle

OPENINGS, PRESSES, TABS = 5, 60, 8
STARTED = 2.5  # s until a browser has drawn its own windows and new tab: a second of both cores that is no page's
SIZE = dict(width=1280, height=720)
SLIDER = "[data-testid=stSidebar] input[type=range]"
TEXTS = """() => [...document.querySelectorAll('.plot .annotation-text')]
    .filter(text => text.checkVisibility({visibilityProperty: true})).map(text => text.textContent).join('|')"""
WATCH = """async ({before}) => {
    const started = await new Promise(done => addEventListener('keydown', event => done(event.timeStamp), {capture: true, once: true}));
    const shown = TEXTS;
    const still = () => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning';
    await new Promise(done => { // a look for each change, not for each picture: eight tabs that look all the time are a load too
        let asked = false;
        const look = () => { asked = false; if (still() && shown() && shown() !== before) done(observer.disconnect()); };
        const observer = new MutationObserver(() => { if (!asked) requestAnimationFrame(look); asked = true; });
        observer.observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
    });
    return performance.now() - started;
}""".replace("TEXTS", TEXTS)
ROOTS = "[document, ...[...document.querySelectorAll('*')].flatMap(({shadowRoot}) => shadowRoot ?? [])]"  # a player has one of its own
PICTURES = {"": ".player canvas", "traffic": ".plot .annotation-text"}


@contextmanager
def browser():
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
        yield opened
        opened.close()


def opening(address: str, path: str) -> float:
    """Milliseconds to the first picture of a page, in a browser that was just started."""
    return asyncio.run(_opening(f"{address}/{path}", PICTURES[path]))


async def _opening(url: str, picture: str) -> float:
    """Without Playwright, which has the browser note where in its source each warning comes from: that reads Plotly's 4.7 MB again and
    again, 0.8 s that no visitor waits."""
    asked = dict(expression=f"{ROOTS}.some(root => root.querySelector({picture!r})) && performance.now()", returnByValue=True)
    async with asyncio.timeout(60), Browser() as cold:
        tab = cold.get_tab()
        await tab.send_command("Emulation.setDeviceMetricsOverride", SIZE | dict(deviceScaleFactor=1, mobile=False))
        await asyncio.sleep(STARTED)
        await tab.send_command("Page.navigate", dict(url=url))
        while not (passed := (await tab.send_command("Runtime.evaluate", asked))["result"]["result"].get("value")):
            await asyncio.sleep(.02)
        return passed


def watch(page: Page) -> None:
    """From the next key press on: to a script that has ended and a chart, visible, that says something else."""
    page.evaluate_handle("([watch, before]) => { window.repaint = eval(watch)({before}); }", [WATCH, page.evaluate(TEXTS)]).dispose()


def steps(address: str) -> list[float]:
    """Milliseconds of each press on the Traffic page, walking N up and down."""
    with browser() as opened:
        page = opened.new_page(viewport=SIZE)
        page.goto(f"{address}/traffic")
        settle(page)
        page.locator(SLIDER).first.focus()
        samples = []
        for press in range(PRESSES):
            watch(page)
            page.keyboard.press("ArrowRight" if press % 16 < 8 else "ArrowLeft")
            samples.append(page.evaluate("() => window.repaint"))
            page.wait_for_timeout(120)
    return samples[4:]


def tabs_at_once(address: str) -> list[float]:
    """Milliseconds of a press that comes in every tab at once."""
    press = """([slider, key]) => {
        const input = document.querySelector(slider);
        input.focus();
        for (const kind of ['keydown', 'keyup']) input.dispatchEvent(new KeyboardEvent(kind, {key, bubbles: true, cancelable: true}));
    }"""  # as a key does, without waiting for the tab before
    with browser() as opened:
        pages = [opened.new_context(viewport=SIZE).new_page() for _ in range(TABS)]
        for page in pages:
            page.goto(f"{address}/traffic")
            settle(page)
        samples = []
        for key in ("ArrowRight", "ArrowLeft") * 4:
            for page in pages:
                watch(page)
            for page in pages:
                page.evaluate(press, [SLIDER, key])
            samples += [page.evaluate("() => window.repaint") for page in pages]
    return samples[2 * TABS:]


if __name__ == "__main__":
    with nullcontext(sys.argv[1]) if len(sys.argv) > 1 else served() as url:
        for path in PICTURES:
            opening(url, path)  # the server's own first time is not the viewer's
            times = [opening(url, path) for _ in range(OPENINGS)]
            print(f"First picture of {path or 'race'}: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")
        for words, times in (("Steps on traffic", sorted(steps(url))), (f"Steps in {TABS} tabs at once", sorted(tabs_at_once(url)))):
            print(f"{words}, {len(times)}: p50 {statistics.median(times):.0f} ms, p95 {times[int(.95 * len(times))]:.0f} ms, "
                  f"longest {times[-1]:.0f} ms")
