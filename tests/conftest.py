"""Fixtures of the browser tests. They never skip: without a browser they fail with the command that installs one."""
import pytest
from playwright.sync_api import sync_playwright
from served_app import BROWSER_ARGUMENTS, chromium, served


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium, started once."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(playwright), args=BROWSER_ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def app_url():
    """Address of the dashboard, served once for the session."""
    with served() as address:
        yield address
