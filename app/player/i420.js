// I420: a picture as the luma of every pixel and the chroma of every two by two, in BT.709's limited range: what video players take for
// granted, also those that do not read what a file says of its colours.
const KR = 0.2126, KB = 0.0722, KG = 1 - KR - KB; // ITU-R BT.709-6, 3.2
const BT709 = { primaries: "bt709", transfer: "bt709", matrix: "bt709", fullRange: false };

/** pixels: as Reel gives them. Returns the planes Y, Cb and Cr, one after another. */
function i420(pixels) {
  const size = WIDTH * HEIGHT, planes = new Uint8ClampedArray(size * 1.5); // it rounds to the nearest whole number
  for (let row = 0, at = 0, chroma = size; row < HEIGHT; row += 2, at += WIDTH) {
    for (let column = 0; column < WIDTH; column += 2, at += 2, chroma++) {
      let red = 0, blue = 0, luma = 0; // sums over the four
      for (let k = 0; k < 4; k++) {
        const place = at + (k & 1) + (k >> 1) * WIDTH, pixel = pixels[place], r = pixel & 255, b = (pixel >> 16) & 255;
        const y = KR * r + KG * ((pixel >> 8) & 255) + KB * b;
        planes[place] = 16 + (219 / 255) * y;
        red += r;
        blue += b;
        luma += y;
      }
      planes[chroma] = 128 + ((224 / 255) * (blue - luma)) / 4 / (2 - 2 * KB);
      planes[chroma + size / 4] = 128 + ((224 / 255) * (red - luma)) / 4 / (2 - 2 * KR);
    }
  }
  return planes;
}
