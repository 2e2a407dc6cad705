// Lzw: the compression of a GIF (GIF89a, appendix F): codes that grow from 9 to 12 bits, packed from the lowest bit up.
const CLEAR = 256, END = 257, CODES = 4096, NARROWEST = 9, WIDEST = 12; // for pixels of 8 bits
const longer = new Uint16Array(256 * CODES); // the code of a known string and one pixel more, at (pixel << 12) | code; 0: none

/** pixels: a Uint8Array, at least one. Returns the codes' bytes. */
function lzw(pixels) {
  const bytes = new Uint8Array(Math.ceil(pixels.length * 1.6) + 16); // no code without a pixel, and now and then a clear
  let length = 0, buffer = 0, held = 0, width = NARROWEST, free = END + 1, string = pixels[0];
  const put = (code) => {
    buffer |= code << held;
    for (held += width; held >= 8; held -= 8, buffer >>>= 8) bytes[length++] = buffer & 255;
  };
  const forget = () => {
    put(CLEAR);
    longer.fill(0);
    [width, free] = [NARROWEST, END + 1];
  };
  forget();
  for (let at = 1; at < pixels.length; at++) {
    const key = (pixels[at] << 12) | string, code = longer[key];
    if (code) { string = code; continue; }
    put(string);
    string = pixels[at];
    if (free === CODES) { forget(); continue; }
    longer[key] = free;
    if (free++ === 1 << width) width++;
  }
  put(string);
  if (free === 1 << width && width < WIDEST) width++; // as the reader does, which is one string behind
  put(END);
  if (held) bytes[length++] = buffer & 255;
  return bytes.subarray(0, length);
}
