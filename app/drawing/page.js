// Page: what the server's own browser is asked for, one call per figure. It comes after Plotly and swatches.js, and leaves nothing behind
// that the next figure could see.

const svg = ({ data, layout }) =>
  Plotly.toImage({ data, layout }, { format: "svg", imageDataOnly: true, width: layout.width, height: layout.height });

/** PNG with transparency, in base64. */
const clearPng = async (figure, scale) => (await canvas(figure, scale, true)).toDataURL("image/png").split(",")[1];

/** An opaque picture in at most 255 colours: { width, height, colours, runs }, the last two in base64. colours: red, green, blue, red, …;
 *  runs: a byte for the swatch of some equal pixels and one for how many they are, swatch, length, swatch, …, row after row. */
async function indexed(figure, scale) {
  const sheet = await canvas(figure, scale, false), { width, height } = sheet;
  const pixels = new Int32Array(sheet.getContext("2d").getImageData(0, 0, width, height).data.buffer);
  const numbers = new Map(), counts = [], equal = []; // of a colour: its number; by number: how many pixels; number, length, …
  runs(pixels, (colour, from, to) => {
    let number = numbers.get(colour);
    if (number === undefined) numbers.set(colour, number = counts.push(0) - 1);
    counts[number] += to - from;
    equal.push(number, to - from);
  });
  const colours = [...numbers.keys()], swatches = new Swatches([], new Map(colours.map((colour, number) => [colour, counts[number]])));
  const swatch = colours.map((colour) => swatches.index(colour)), told = new Uint8Array(equal.length + 2 * Math.ceil(pixels.length / 255));
  let end = 0;
  for (let at = 0; at < equal.length; at += 2) {
    for (let left = equal[at + 1]; left > 0; left -= 255) {
      told[end++] = swatch[equal[at]];
      told[end++] = Math.min(left, 255);
    }
  }
  return { width, height, colours: await base64(new Uint8Array(swatches.colours)), runs: await base64(told.subarray(0, end)) };
}

/** Puts the figure, alone, on a sheet of its own size, to be printed. */
async function lay(figure) {
  const { width, height } = figure.layout;
  document.getElementById("sheet").textContent = `@page { size: ${width}px ${height}px; margin: 0 }`;
  document.body.replaceChildren(await picture(figure));
}

async function picture(figure) {
  const loaded = new Image();
  loaded.src = `data:image/svg+xml,${encodeURIComponent(await svg(figure))}`;
  await loaded.decode();
  return loaded;
}

/** `willReadFrequently` keeps the pixels, 33 MB of them, where they are read: not in the graphics process. */
async function canvas(figure, scale, alpha) {
  const sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [scale * figure.layout.width, scale * figure.layout.height];
  sheet.getContext("2d", { willReadFrequently: true, alpha }).drawImage(await picture(figure), 0, 0, sheet.width, sheet.height);
  return sheet;
}

const base64 = (bytes) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.split(",")[1]);
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(new Blob([bytes]));
});
