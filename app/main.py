"""The server: Streamlit's, with pages that bring their picture along. `streamlit run app/main.py` from the repository root."""
import sys
from pathlib import Path

import streamlit as st
from starlette.routing import Route

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # Streamlit puts app/ there, not the root
    sys.path.insert(0, str(ROOT))

from app import plot, welcome  # noqa: E402

BASE = f"/{st.get_option('server.baseUrlPath').strip('/')}".rstrip("/")
ROUTES = [*welcome.routes(BASE), Route(f"{BASE}/{plot.LIBRARY}", plot.library)]
app = st.App(ROOT / "app" / "frame.py", routes=ROUTES)
