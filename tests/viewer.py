"""What a viewer's browser shows: a page that remembers complaints, and the boxes of a chart's texts."""
from served_app import settle

CHART = ".plot.js-plotly-plot"
TEXTS = ".annotation-text, .xtick text, .ytick text"
TEXT_BOXES = """root => [...root.querySelectorAll('TEXTS')].filter(text => text.textContent.trim()).map(text => {
    const box = text.getBoundingClientRect(), all = text.closest('svg').getBoundingClientRect();
    return {text: text.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            outside: box.left < all.left || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1};
})""".replace("TEXTS", TEXTS)


class Viewer:
    """A page that remembers what went wrong on it."""

    def __init__(self, context, theme="light", width=1280, height=720):
        self.page = context.new_page()
        self.page.emulate_media(color_scheme=theme)
        self.page.set_viewport_size(dict(width=width, height=height))
        self.complaints, self.foreign = [], []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("request", lambda r: r.url.startswith(("http://127.0.0.1", "data:", "blob:")) or self.foreign.append(r.url))

    def _note(self, message):
        probing = "/_stcore/" in message.location["url"]  # opened by a link to a page, Streamlit looks for its server below it first
        if message.type == "error" and not probing:
            self.complaints.append(message.text)

    def open(self, url: str):
        self.page.goto(url)
        settle(self.page)
        return self

    def turn_to(self, name: str):
        self.page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
        self.page.wait_for_url(f"**/{name.lower()}*")
        settle(self.page)

    def boxes(self) -> list[dict]:
        return self.page.locator(CHART).first.evaluate(TEXT_BOXES)


def collisions(boxes: list[dict]) -> list[str]:
    """Texts that overlap by more than a pixel, or leave the figure."""
    found = [f"{box['text']} leaves the figure" for box in boxes if box["outside"]]
    for i, one in enumerate(boxes):
        found += [f"{one['text']} on {other['text']}" for other in boxes[:i]
                  if min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
                  and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 1]
    return found
