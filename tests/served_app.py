"""The dashboard as a browser sees it: the server, a Chromium, and waiting until a page stands still."""
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, Playwright

ROOT = Path(__file__).resolve().parent.parent
BROWSER_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
STANDS_STILL = "[data-testid=stApp][data-test-script-state=notRunning]"


@contextmanager
def served(script: str = "app/main.py", output=subprocess.PIPE):
    """Runs the dashboard on a free port for as long as the context lasts; gives its address. output: where what it says goes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "streamlit", "run", script, "--server.headless=true", f"--server.port={port}"],
                              cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, text=True)
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def chromium(playwright: Playwright) -> str:
    """Path of a Chromium or Chrome. Installs one where it can; raises RuntimeError with the command to run where it cannot."""
    for install in (None, ["apt-get", "install", "-y", "chromium"], [sys.executable, "-m", "playwright", "install", "chromium"]):
        if install and (install[0] != "apt-get" or (shutil.which("apt-get") and os.geteuid() == 0)):
            subprocess.run(install, capture_output=True, timeout=600, check=False)
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))), None)
        if found or Path(playwright.chromium.executable_path).exists():
            return found or playwright.chromium.executable_path
    raise RuntimeError("the browser tests need Chromium: apt-get install chromium, or python -m playwright install --with-deps chromium")


def settle(page: Page) -> None:
    """Waits until the script has run and every chart is drawn."""
    page.wait_for_selector(STANDS_STILL, timeout=60_000)
    page.wait_for_selector("[data-testid=stSidebar] [data-testid=stSlider]", state="attached", timeout=60_000)  # the last to appear
    page.wait_for_function("""() => [...document.querySelectorAll('.plot')]
        .every(chart => chart.querySelector('.main-svg'))""", timeout=60_000)


def _wait_for(address: str, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(.1)
    server.kill()
    raise RuntimeError(f"the dashboard did not start:\n{server.communicate()[0]}")
