"""A player's stand-alone page in the tests' browser, and what can be wrong with a frame's text boxes."""
import itertools
import json
from functools import lru_cache

COMMONEST = """(() => {
    const { data } = player.canvas.getContext('2d').getImageData(box.x, box.y + 2, box.width, box.height - 2), seen = {};
    for (let i = 0; i < data.length; i += 4) { const colour = data.slice(i, i + 3).join(); seen[colour] = (seen[colour] ?? 0) + 1; }
    const most = Object.keys(seen).reduce((a, b) => (seen[b] > seen[a] ? b : a));
    return '#' + most.split(',').map((part) => Number(part).toString(16).padStart(2, '0')).join(''); })()"""


class PlayerPage:
    """A page with a player; one page takes many payloads, so that nothing is opened twice. What it reports wrong is in `complaints`.

    document: its HTML, or the address of a file.
    """

    def __init__(self, browser, document: str, size: tuple = (1280, 720), **context):
        self.context = browser.new_context(viewport=dict(zip(("width", "height"), size)), **context)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(document) if document.startswith("file:") else self.page.set_content(document)
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

    def on_another_ground(self, seconds: float) -> list[tuple]:
        """Texts whose box's commonest pixel is not the ground that they state, with that pixel; words on two grounds are left out."""
        self.ask("void Object.assign(player.canvas, { width: 1280, height: 720 })")
        boxes = self.ask(f"(player.seek({seconds}), player.boxes().map((box) => ({{ ...box, seen: {COMMONEST} }})))")
        split = {box["text"] for box in boxes if box.get("second")}
        return [(box["text"], box["seen"]) for box in boxes if box["text"] not in split and box["seen"] != box["ground"].lower()]


def faults(boxes: list[dict]) -> list[str]:
    """Everything wrong with a frame's text boxes, in words. Of words written in two inks, one for each ground, one box counts."""
    found = []
    for box in boxes:
        x, y, width, height = box["panel"]
        if box["size"] < 18 or box["squeezed"] > 1.12:
            found.append(f"{box['text']!r} is {box['size']} px, squeezed {box['squeezed']:.2f}")
        if box["x"] < x - .5 or box["y"] < y - .5 or box["x"] + box["width"] > x + width + .5 or box["y"] + box["height"] > y + height + .5:
            found.append(f"{box['text']!r} leaves its panel")
        if contrast(box["ink"], box["ground"]) < 4.5:
            found.append(f"{box['text']!r}: {contrast(box['ink'], box['ground']):.2f} to 1")
    once = [(b["x"], b["y"], b["x"] + b["width"], b["y"] + b["height"], b["text"]) for b in boxes if not b.get("second")]
    for (x, y, right, bottom, text), (u, v, far, low, other) in itertools.combinations(once, 2):
        if x < far and u < right and y < low and v < bottom:
            found.append(f"{text!r} and {other!r} overlap")
    return found


@lru_cache
def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours #rrggbb, 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
