"""A player as one HTML file that needs no network: for a slide, a mail, or a test."""
import json
from html import escape

from app.player.script import style

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
html, body {{ margin: 0; }}
body {{ padding: 8px; }}
{style}
.player {{ --wide: min(100%, calc((100vh - 76px) * 16 / 9)); }}
</style>
</head>
<body>
<div></div>
<script type="module">
{script}
const wanted = {theme}, dark = matchMedia("(prefers-color-scheme: dark)"), theme = () => wanted ?? (dark.matches ? "dark" : "light");
const player = new Player(document.querySelector("div"), {payload}, {{ theme: theme(), autoplay: {autoplay} }});
const paint = () => {{ player.setTheme(theme()); document.body.style.background = player.palette.ground; }};
dark.addEventListener("change", paint);
paint();
window.tilescopePlayer = player;
</script>
</body>
</html>
"""


def html(script: str, payload: dict, title: str, theme: str | None = None, autoplay: bool = True) -> str:
    """A page with the player. theme: "light", "dark" or None to follow the reader's system."""
    return PAGE.format(title=escape(title), style=style(), script=script, theme=json.dumps(theme), payload=inline(payload),
                       autoplay=json.dumps(autoplay))


def inline(payload: dict) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(payload, separators=(",", ":")).replace("<", "\\u003c")
