"""How fast the race is: frames per second and seeks at 65,536 tiles, the payload, and how soon a cold browser has drawn it.

Run by hand: python tests/measure_race.py. A benchmark that prints; the targets are 50 frames per second, 5 ms (p95), 2 MB and 1.5 s.
"""
import json
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))
from race_page import RacePage, race  # noqa: E402
from served_app import BROWSER_ARGUMENTS, chromium, served  # noqa: E402

COLD_STARTS = 5
PLAY = """async () => {
    const player = tilescopePlayer, moments = [];
    player.seek(0);
    player.play();
    await new Promise((done) => { const tick = (now) => { moments.push(now); player.playing ? requestAnimationFrame(tick) : done(); };
        requestAnimationFrame(tick); });
    return moments; }"""
SEEKS = """() => Array.from({ length: 400 }, (_, i) => { const start = performance.now(); tilescopePlayer.seek((i * 7.31) % 10);
    return performance.now() - start; })"""
WATCH = """const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (...words) {
    if (String(words[0]).startsWith("Same attention")) window.drawnAt ??= performance.now();
    return write.apply(this, words); };"""


def playing(browser: Browser) -> None:
    shown = race(4096, 16, 16)
    page = RacePage(browser, shown)
    moments = page.page.evaluate(PLAY)
    seeks = sorted(page.page.evaluate(SEEKS))
    frames, longest = len(moments) - 1, max(b - a for a, b in zip(moments, moments[1:]))
    print(f"N = 4,096 in 16-row tiles: {frames / (moments[-1] - moments[0]) * 1000:.1f} frames per second over ten seconds (longest gap "
          f"{longest:.0f} ms); a seek with its drawing takes {statistics.median(seeks):.1f} ms (median), "
          f"{seeks[int(.95 * len(seeks))]:.1f} ms (p95); payload {len(json.dumps(shown, separators=(',', ':'))) / 1e6:.2f} MB")


def cold_start(playwright: Playwright, address: str) -> tuple[float, bool]:
    """Seconds from the start of the navigation to the first drawn title, and whether Plotly was loaded in the seconds around it."""
    browser = playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
    page = browser.new_page(viewport=dict(width=1280, height=720))
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function("window.drawnAt", timeout=30_000)
    time.sleep(2)
    drawn, loaded = page.evaluate("[drawnAt / 1000, performance.getEntriesByType('resource').some(({ name }) => /plotly/i.test(name))]")
    browser.close()
    return drawn, loaded


if __name__ == "__main__":
    with sync_playwright() as running:
        opened = running.chromium.launch(executable_path=chromium(running), args=BROWSER_ARGUMENTS)
        playing(opened)
        opened.close()
        with served() as url:
            starts = [cold_start(running, url) for _ in range(COLD_STARTS)]
    seconds, loaded = [drawn for drawn, _ in starts], any(loaded for _, loaded in starts)
    print(f"{COLD_STARTS} cold browsers: drawn after {statistics.median(seconds):.2f} s (median of "
          f"{', '.join(f'{each:.2f}' for each in seconds)}), Plotly {'loaded' if loaded else 'not loaded'}")
