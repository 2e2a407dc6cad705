// Note: a few lines beside the pointer about what lies under it; after a tap they stay until the next one.
class Note {
  /** canvas: the sheet; element: where the lines go; under(x, y): the lines about a point of the sheet, or nothing. */
  constructor(canvas, element, under) {
    Object.assign(this, { canvas, element, under });
    for (const kind of ["pointermove", "pointerdown"]) canvas.addEventListener(kind, (event) => this.#show(event));
    canvas.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") element.hidden = true; });
  }

  #show({ offsetX, offsetY }) {
    const { canvas, element } = this, scale = WIDTH / canvas.clientWidth, lines = this.under(offsetX * scale, offsetY * scale);
    element.hidden = !lines;
    if (!lines) return;
    element.replaceChildren(...lines.map((text) => Object.assign(document.createElement("div"), { textContent: text })));
    const rightmost = canvas.clientWidth - element.offsetWidth;
    element.style.left = `${canvas.offsetLeft + Math.min(offsetX + 14, rightmost)}px`;
    element.style.top = `${canvas.offsetTop + offsetY + 18}px`;
  }
}
