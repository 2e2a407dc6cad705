"""A browser of the server's own that draws figures: one page, into which Plotly is loaded once, kept for every figure that follows."""
import asyncio
import atexit
import threading
from base64 import b64decode, b64encode
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path

from choreographer import Browser, Tab
from choreographer.protocol.devtools_async_helpers import navigate_and_wait
from plotly.offline import get_plotlyjs

from app.drawing.png import indexed

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tilescope draws here</title>
<style>body { margin: 0 } img { display: block }</style><style id="sheet"></style></head><body></body></html>"""
SCRIPTS = (Path(__file__).parents[1] / "player" / "swatches.js", Path(__file__).with_name("page.js"))
ON_ITS_SHEET = dict(printBackground=True, preferCSSPageSize=True, pageRanges="1")  # of Page.printToPDF
PATIENCE, PATIENCE_AT_THE_END = 60, 10  # s, for one answer, with a start before it that takes 15 on a busy machine; to close


class NotDrawn(RuntimeError):
    """The page's own words why. Another browser would say the same."""


class Drawing:
    """One figure at a time, from any thread. The browser starts with the first, is replaced where it died or hangs, and ends with this
    process. A figure is {"data", "layout"} as JSON, its width and height in px stated."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tab: Tab | None = None
        self._opened = AsyncExitStack()  # what is to be closed

    def svg(self, figure: str) -> bytes:
        """Raises NotDrawn, as what follows does."""
        return self.asked(f"svg({figure})").encode()

    def png(self, figure: str, scale: int, opaque: bool) -> bytes:
        """`scale` pixels for a px of the figure. An opaque one gets 255 colours, a quarter of the size; the chart's own, the commonest,
        stay exact."""
        if not opaque:
            return b64decode(self.asked(f"clearPng({figure}, {scale})"))
        made = self.asked(f"indexed({figure}, {scale})")
        return indexed(made["width"], made["height"], b64decode(made["colours"]), b64decode(made["runs"]))

    def pdf(self, figure: str) -> bytes:
        """One page in the figure's size."""
        return b64decode(self._answered(f"lay({figure})", printed=True))

    def asked(self, expression: str):
        """What an expression is worth in the page, as plain values."""
        return self._answered(expression, printed=False)

    def close(self) -> None:
        """The next figure starts another browser."""
        with self._one_at_a_time:
            self._wait(self._close())

    def _answered(self, expression: str, printed: bool):
        with self._one_at_a_time:
            for attempts_left in (1, 0):
                try:
                    return self._wait(self._answer(expression, printed))
                except NotDrawn:
                    raise
                except Exception:  # the browser died, some time ago or just now, or says nothing
                    self._wait(self._close())
                    if not attempts_left:
                        raise

    def _wait(self, coroutine: Coroutine):
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="drawing", daemon=True).start()
            atexit.register(self.close)
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _answer(self, expression: str, printed: bool):
        async with asyncio.timeout(PATIENCE):
            if self._tab is None:
                await self._open()
            value = await _evaluated(self._tab, expression)
            if not printed:
                return value
            return (await self._tab.send_command("Page.printToPDF", ON_ITS_SHEET))["result"]["data"]

    async def _open(self) -> None:
        browser = Browser()
        self._opened.push_async_callback(browser.close)  # before it opens: that may be what fails
        await browser.open()
        tab = await navigate_and_wait(browser.get_tab(), f"data:text/html;base64,{b64encode(PAGE.encode()).decode()}")
        for script in (get_plotlyjs(), *(file.read_text(encoding="utf-8") for file in SCRIPTS)):
            await _evaluated(tab, f"{script}\n;0")
        self._tab = tab

    async def _close(self) -> None:
        self._tab = None
        async with asyncio.timeout(PATIENCE_AT_THE_END):  # then its process is killed
            await self._opened.aclose()


async def _evaluated(tab: Tab, expression: str):
    answer = await tab.send_command("Runtime.evaluate", dict(expression=expression, awaitPromise=True, returnByValue=True))
    result = answer["result"]
    if wrong := result.get("exceptionDetails"):
        raise NotDrawn(wrong.get("exception", {}).get("description") or wrong["text"])
    return result["result"].get("value")
