"""The README's pictures, made anew from the dashboard by its own Save button and a browser's: python tests/make_gallery.py"""
import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from served_app import BROWSER_ARGUMENTS, chromium, served  # noqa: E402
from viewer import CHART, Viewer  # noqa: E402

PAGES = dict(traffic=("traffic", CHART), time=("time", CHART), softmax=("softmax?scores=a+large+late+maximum", ".player canvas"))
COLOURS, DRAWN_MS = 128, 1500  # a page of few colours; after its first frame a player eases in


def main() -> None:
    folder = ROOT / "app" / "static"
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
        context = browser.new_context()
        page = Viewer(context).open(address).page
        page.locator("[data-action=save]").click()
        with page.expect_download(timeout=300_000) as download:
            page.locator(".menu [data-file=gif]").click()
        download.value.save_as(folder / "race.gif")
        for name, (link, picture) in PAGES.items():
            page = Viewer(context).open(f"{address}/{link}").page
            page.locator(picture).first.wait_for()
            page.wait_for_timeout(DRAWN_MS)
            shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            shot.quantize(COLOURS, dither=Image.Dither.NONE).save(folder / f"{name}.png", optimize=True)
        browser.close()
    for made in sorted(folder.iterdir()):
        print(f"{made.relative_to(ROOT)}: {made.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
