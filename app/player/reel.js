// Reel: a film's frames for a file. Frame k shows the moment k / rate seconds, however long it takes to draw: nothing is recorded in real
// time, so a slow machine and a fast one make the same file.
class Reel {
  /** look: {palette, family, code} as the film is drawn now; rate: frames per second. */
  constructor(film, look, rate) {
    Object.assign(this, { film, look: { ...look, speed: 1 }, rate, count: Math.round(film.seconds * rate) });
    const sheet = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
    this.context = sheet.getContext("2d", { willReadFrequently: true });
  }

  /** The pixels of a frame, one signed 32-bit number each, 0xaabbggrr, row by row. */
  pixels(frame) {
    this.film.draw(this.context, this.film.at(frame / this.rate), this.look);
    return new Int32Array(this.context.getImageData(0, 0, WIDTH, HEIGHT).data.buffer);
  }
}

/** Lets the page draw and answer before the next frame; unlike a timer also at full speed while the tab is hidden. */
const breath = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); resolve(); };
  port2.postMessage(null);
});
