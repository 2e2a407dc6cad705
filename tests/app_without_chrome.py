"""The dashboard as it is on a server that has no Chrome: `streamlit run tests/app_without_chrome.py`."""
import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from app import export  # noqa: E402
from app.main import ROUTES  # noqa: E402

export.Chromium.find_browser = lambda **_: None
app = st.App(ROOT / "app" / "frame.py", routes=ROUTES)
