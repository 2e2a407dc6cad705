"""The dashboard as it is on a server that has no Chrome: `streamlit run tests/app_without_chrome.py`."""
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from app import export  # noqa: E402

export.Chromium.find_browser = lambda **_: None
runpy.run_path(str(ROOT / "app" / "frame.py"))
