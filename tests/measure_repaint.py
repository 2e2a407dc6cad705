"""How long a slider's key press takes to show: from the key to a script that has ended and a chart that names the new N.

Run by hand: python tests/measure_repaint.py [address]. A benchmark that prints; the target is 0.25 s (median) and 0.4 s (p95) on two cores.
"""
import statistics
import sys
from contextlib import nullcontext

from playwright.sync_api import sync_playwright
from served_app import BROWSER_ARGUMENTS, chromium, served, settle

PRESSES = 60
TEXTS = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart] .annotation-text')]
    .filter(text => text.checkVisibility({visibilityProperty: true})).map(text => text.textContent).join('|')"""
WATCH = """async ({before}) => {
    const started = await new Promise(done => addEventListener('keydown', event => done(event.timeStamp), {capture: true, once: true}));
    const shown = TEXTS;
    const still = () => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning';
    while (!(still() && shown() && shown() !== before)) await new Promise(requestAnimationFrame);
    return performance.now() - started;
}""".replace("TEXTS", TEXTS)


def measure(address: str) -> list[float]:
    """Milliseconds of each press on the Traffic page, walking N up and down."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
        page = browser.new_page(viewport=dict(width=1280, height=720))
        page.goto(f"{address}/traffic")
        settle(page)
        page.locator("[data-testid=stSidebar] [role=slider], [data-testid=stSidebar] input[type=range]").first.focus()
        samples = []
        for press in range(PRESSES):
            watching = page.evaluate_handle("([watch, before]) => { window.repaint = eval(watch)({before}); }",
                                            [WATCH, page.evaluate(TEXTS)])
            watching.dispose()
            page.keyboard.press("ArrowRight" if press % 16 < 8 else "ArrowLeft")
            samples.append(page.evaluate("() => window.repaint"))
            page.wait_for_timeout(120)
        browser.close()
    return samples


if __name__ == "__main__":
    with nullcontext(sys.argv[1]) if len(sys.argv) > 1 else served() as url:
        times = sorted(measure(url)[4:])
    print(f"{len(times)} repaints of Traffic: p50 {statistics.median(times):.0f} ms, p95 {times[int(.95 * len(times))]:.0f} ms, "
          f"longest {times[-1]:.0f} ms")
