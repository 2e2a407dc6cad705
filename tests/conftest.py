"""Fixtures: a seed, a cache of its own, a browser and the served dashboard.

The browser tests never skip: without a browser they fail with the command that installs one.
"""
import os
import secrets
import sys
import tempfile
from pathlib import Path

import pytest

# The cpu backend's compiled kernels stay out of the user's cache. Set before any test module imports it.
os.environ.setdefault("TILESCOPE_CACHE", tempfile.mkdtemp(prefix="tilescope-test-"))
NO_TOOLKIT = sys.platform == "darwin"
collect_ignore = ["test_counting_off.py", "test_instructions.py", "test_tensor_cores.py"] if NO_TOOLKIT else []


def pytest_report_header() -> str | None:
    return f"no CUDA toolkit on macOS: {', '.join(collect_ignore)}, which compile for a GPU, are not collected" if NO_TOOLKIT else None


def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores: a test that waits for a browser leaves its core to another."""
    return max(1, (os.cpu_count() or 1) * 3 // 2)


@pytest.fixture
def fresh_seed() -> int:
    """Another one in every run; pytest prints it when a test fails."""
    seed = secrets.randbelow(2**31)
    print(f"seed {seed}")
    return seed


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium, started once."""
    from playwright.sync_api import sync_playwright  # here, so that machines that only run kernels can do without
    from served_app import BROWSER_ARGUMENTS, chromium

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def app_url():
    """Address of the dashboard, served once for the session."""
    from served_app import served

    with served() as address:
        yield address


@pytest.fixture(scope="module")
def context(browser):
    """One for all tests, so that Streamlit's own files are loaded once."""
    with browser.new_context() as shared:
        yield shared


@pytest.fixture
def viewer(context):
    """viewer(theme, width=…, height=…) opens one."""
    from viewer import Viewer

    opened = []

    def view(*arguments, **look):
        opened.append(Viewer(context, *arguments, **look))
        return opened[-1]

    yield view
    for each in opened:
        each.page.close()


@pytest.fixture(scope="module")
def blank(browser):
    """A page with Plotly and nothing else: figures of many settings are drawn there in a moment."""
    import plotly

    context = browser.new_context(viewport=dict(width=1280, height=720))
    page = context.new_page()
    page.set_content("<div id=chart></div>")
    page.add_script_tag(path=str(Path(plotly.__file__).parent / "package_data" / "plotly.min.js"))
    yield page
    context.close()
