// Gif: a film as an animated GIF that loops. After the first frame only what has changed is stored: its rectangle, unchanged pixels
// transparent; a frame in which nothing has changed prolongs the one before.
const GIF_RATE = 25, SAMPLED = 10; // frames a second, each a whole number of hundredths; of every tenth frame the colours are counted
const TRANSPARENT = 255; // the swatch that stands for "as it was"

/** reel: at GIF_RATE. step(share of the work that is done): awaited before every frame. Returns a Blob. */
async function gif(reel, comment, step) {
  const samples = Math.ceil(reel.count / SAMPLED), work = reel.count + samples, counts = new Map();
  for (let k = 0; k < samples; k++) {
    await step(k / work);
    tally(reel.pixels(k * SAMPLED), counts);
  }
  const swatches = new Swatches(hexColours(reel.look.palette), counts), frames = [];
  let before = new Int32Array(WIDTH * HEIGHT); // transparent black: all of the first frame is new
  for (let k = 0; k < reel.count; k++) {
    await step((samples + k) / work);
    const now = reel.pixels(k), changed = rectangleOfChange(before, now);
    if (changed) frames.push({ hundredths: 0, image: gifImage(changed, before, now, swatches) });
    frames.at(-1).hundredths += 100 / GIF_RATE;
    before = now;
  }
  const parts = frames.flatMap(({ hundredths, image }) => [gifControl(hundredths), ...image]);
  return new Blob([...gifHead(swatches, comment), ...parts, Uint8Array.of(0x3b)], { type: "image/gif" });
}

/** Every colour of a theme. */
const hexColours = (theme) => Object.values(theme).flatMap((role) => (typeof role === "string" ? role : hexColours(role)));

/** The smallest [x, y, width, height] that holds every pixel that differs, or null. */
function rectangleOfChange(before, now) {
  let left = WIDTH, right = -1, top = -1, bottom = -1;
  for (let y = 0, at = 0; y < HEIGHT; y++, at += WIDTH) {
    let from = 0, to = WIDTH - 1;
    while (from < WIDTH && before[at + from] === now[at + from]) from++;
    if (from === WIDTH) continue;
    while (before[at + to] === now[at + to]) to--;
    [left, right, bottom] = [Math.min(left, from), Math.max(right, to), y];
    if (top < 0) top = y;
  }
  return top < 0 ? null : [left, top, right - left + 1, bottom - top + 1];
}

/** An image: its place, and its pixels in blocks of at most 255 bytes. */
function gifImage([x, y, width, height], before, now, swatches) {
  const pixels = new Uint8Array(width * height);
  for (let row = 0, to = 0; row < height; row++) {
    for (let from = (y + row) * WIDTH + x, end = from + width; from < end; from++, to++) {
      pixels[to] = now[from] === before[from] ? TRANSPARENT : swatches.index(now[from]);
    }
  }
  return [Uint8Array.of(0x2c, ...[x, y, width, height].flatMap(twoBytes), 0, 8), ...gifBlocks(lzw(pixels))];
}

/** How long a frame stands; the next one is drawn over it. */
const gifControl = (hundredths) => Uint8Array.of(0x21, 0xf9, 4, 0b00000101, ...twoBytes(hundredths), TRANSPARENT, 0);

/** Size, 256 colours, "loops for ever", and a comment. */
function gifHead(swatches, comment) {
  const text = new TextEncoder(), colours = new Uint8Array(3 * 256);
  colours.set(swatches.colours);
  return [text.encode("GIF89a"), Uint8Array.of(...twoBytes(WIDTH), ...twoBytes(HEIGHT), 0xf7, 0, 0), colours,
          Uint8Array.of(0x21, 0xff, 11), text.encode("NETSCAPE2.0"), Uint8Array.of(3, 1, 0, 0, 0),
          Uint8Array.of(0x21, 0xfe), ...gifBlocks(text.encode(comment))];
}

function gifBlocks(bytes) {
  const blocks = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.subarray(at, at + 255);
    blocks.push(Uint8Array.of(block.length), block);
  }
  return [...blocks, Uint8Array.of(0)];
}

const twoBytes = (number) => [number & 255, number >> 8]; // the lower one first
