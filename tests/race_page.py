"""The race's stand-alone page in the tests' browser: one page takes many payloads, so that nothing is opened twice."""
import json

from app.race.payload import payload
from app.race.film import html
from traffic_model import DEFAULT_GPU, AttentionProblem, Tiling, find_gpu

GPU = find_gpu(DEFAULT_GPU)


def race(seq_len: int, block_q: int = 64, block_k: int = 64, **shape) -> dict:
    """The payload of one problem and tiling on the default GPU."""
    return payload(AttentionProblem(seq_len, **shape), Tiling(block_q, block_k), GPU)


class RacePage:
    """A page with the player; what it reports wrong is collected in `complaints`."""

    def __init__(self, browser, shown: dict, theme: str | None = "light", autoplay: bool = False, size: tuple = (1280, 720), **context):
        self.context = browser.new_context(viewport=dict(zip(("width", "height"), size)), **context)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.set_content(html(shown, theme=theme, autoplay=autoplay))
        self.page.wait_for_function("window.tilescopePlayer")

    def ask(self, expression: str, argument=None):
        """The value of a JavaScript expression in which `player` is the player and `x` the argument; both ways as JSON, which is fast."""
        given = "const player = window.tilescopePlayer; let x = JSON.parse(text);"
        function = f"(text) => {{ {given} return JSON.stringify({expression}) ?? 'null'; }}"
        return json.loads(self.page.evaluate(function, json.dumps(argument)))

    def load(self, shown: dict, theme: str = "light") -> None:
        self.ask("void [player.setTheme(x[1]), player.load(x[0])]", [shown, theme])

    def boxes(self, seconds: float, running: bool = False) -> list[dict]:
        """Every text box at a moment, standing or as it is drawn while it runs."""
        return self.frames([seconds], running)[0]

    def frames(self, moments: list[float], running: bool = False) -> list[list[dict]]:
        look = "(player.seek(seconds), player.playing = x[1], player.boxes())"
        frames = self.ask(f"x[0].map((seconds) => {look})", [moments, running])
        self.ask("void (player.playing = false)")
        return frames

    def texts(self, seconds: float) -> list[str]:
        return [box["text"] for box in self.boxes(seconds)]
