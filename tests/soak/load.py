"""python tests/soak/load.py [seconds [sessions]]: many browsers on one server, moving sliders and pressing Run here.

Ends with status 1 if anything was thrown, a session saw settings that are not its own, or the server kept memory.
"""
import random
import re
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Error, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from served_app import BROWSER_ARGUMENTS, chromium, served  # noqa: E402
from viewer import Viewer  # noqa: E402

SLIDER = "[data-testid=stSidebar] input[type=range]"
THUMB = "[data-testid=stSidebar] [data-testid=stSliderThumbValue]"
PATIENCE = 60_000  # ms, for a machine that does much else
KEPT = 1.10  # of the memory after every session has opened its page once


def memory_bytes(process: int) -> int:
    """What the server's process holds in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def server_process(address: str) -> int:
    """The one whose command line names the port."""
    port = f"--server.port={address.rpartition(':')[2]}"
    return next(int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if port in path.read_bytes().decode().split("\0"))


class Session:
    """One person: a slider that only this browser moves, and the N that it must therefore show."""

    def __init__(self, browser, address: str, heads: int):
        self.heads, self.context = heads, browser.new_context()
        self.view = Viewer(self.context).open(f"{address}/traffic?heads={heads}&n=256&d=16")
        self.page, self.n, self.busy = self.view.page, "256", 0

    def move(self) -> float:
        """Seconds from a key on the slider of N to the chart's caption that follows."""
        before = self.n
        started = time.perf_counter()
        self.page.locator(SLIDER).first.press("ArrowLeft" if before != "128" and random.random() < .5 else "ArrowRight")
        expect(self.page.locator(THUMB).first).not_to_have_text(before, timeout=PATIENCE)
        self.n = self.page.locator(THUMB).first.inner_text()
        self.page.wait_for_url(re.compile(rf"[?&]n={self.n}\b|heads={self.heads}"), timeout=PATIENCE)
        self.page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=PATIENCE)
        return time.perf_counter() - started

    def press_run(self) -> None:
        self.page.get_by_role("button", name="Run here", exact=True).click(timeout=PATIENCE)
        self.page.wait_for_timeout(300)
        self.busy += self.page.get_by_text(re.compile("^Busy: ")).count() > 0

    def faults(self) -> list[str]:
        """What went wrong, and what it shows that another session chose."""
        shown = re.search(r"[?&]heads=(\d+)", self.page.url)
        other = [] if shown and int(shown[1]) == self.heads else [f"heads={self.heads} became {self.page.url}"]
        return self.view.complaints + other + self.page.get_by_test_id("stException").all_inner_texts()


def main(seconds: float = 300, count: int = 20) -> int:
    heads = (1, 2, 4, 8, 32, 64)  # 16 is the default, which a link leaves out
    moves, faults = [], []
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
        process = server_process(address)
        sessions = [Session(browser, address, heads[number % len(heads)]) for number in range(count)]
        for session in sessions:
            moves.append(session.move())
        warm, end = memory_bytes(process), time.monotonic() + seconds
        while time.monotonic() < end:
            session = random.choice(sessions)
            try:
                moves.append(session.move())
                if random.random() < .3:
                    session.press_run()
            except (Error, AssertionError) as error:
                faults.append(f"{type(error).__name__}: {error}"[:300])
        for session in sessions:
            faults += session.faults()
            session.context.close()
        browser.close()
        deadline = time.monotonic() + 60
        while memory_bytes(process) > KEPT * warm and time.monotonic() < deadline:
            time.sleep(1)
        kept = memory_bytes(process) / warm
    print(f"{count} sessions, {seconds:g} s: {len(moves)} moves, p95 {1000 * statistics.quantiles(moves, n=20)[-1]:.0f} ms, "
          f"busy said {sum(session.busy for session in sessions)} times, server memory {kept:.0%} of {warm / 1e6:.0f} MB, "
          f"{len(faults)} faults")
    print(*faults, sep="\n")
    return int(bool(faults) or kept > KEPT)


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3])))
