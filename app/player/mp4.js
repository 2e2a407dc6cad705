// Mp4: H.264 samples as an MP4 file (ISO/IEC 14496-12 and -15): boxes within boxes, the index before the samples, one sample a tick.
const ascii = (text) => [...text].map((letter) => letter.charCodeAt(0)), zeros = (count) => Array(count).fill(0);
const u16 = (...numbers) => numbers.flatMap((number) => [(number >> 8) & 255, number & 255]);
const u32 = (...numbers) => numbers.flatMap((number) => [...u16(number >>> 16), ...u16(number)]);
const box = (name, ...content) => { const inside = content.flat(); return [...u32(8 + inside.length), ...ascii(name), ...inside]; };
const full = (name, flags, ...content) => box(name, u32(flags), ...content); // a box with a version, 0, and flags
const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000); // the picture as it is
const LANGUAGE = u16(0x55c4); // undetermined

/**
 * samples: [{bytes: Uint8Array, key: whether it can be shown without the ones before}] in the order in which they are shown; rate: samples
 * per second; setup: the decoder's AVCDecoderConfigurationRecord as bytes. The colours are BT.709's. Returns a Blob.
 */
function mp4({ samples, rate, setup, title, comment }) {
  const head = box("ftyp", ascii("isom"), u32(0x200), ascii("isomiso2avc1mp41"));
  const index = (at) => box("moov", movieHeader(samples.length, rate), track(samples, rate, setup, at), remarks(title, comment));
  const length = samples.reduce((sum, { bytes }) => sum + bytes.length, 0), start = head.length + index(0).length + 8;
  return new Blob([Uint8Array.from([...head, ...index(start), ...u32(8 + length), ...ascii("mdat")]), ...samples.map(({ bytes }) => bytes)],
                  { type: "video/mp4" });
}

const movieHeader = (ticks, rate) =>
  full("mvhd", 0, u32(0, 0, rate, ticks, 0x10000), u16(0x100), zeros(10), MATRIX, zeros(24), u32(2)); // 2: the next track's number

function track(samples, rate, setup, start) {
  const ticks = samples.length, shown = 3; // enabled, in the movie
  const header = full("tkhd", shown, u32(0, 0, 1, 0, ticks), zeros(16), MATRIX, u32(WIDTH << 16, HEIGHT << 16));
  const here = box("dinf", full("dref", 0, u32(1), full("url ", 1))); // 1: the samples are in this file
  const media = box("minf", full("vmhd", 1, zeros(8)), here, sampleTable(samples, setup, start));
  const handler = full("hdlr", 0, u32(0), ascii("vide"), zeros(12), ascii("Video"), [0]);
  return box("trak", header, box("mdia", full("mdhd", 0, u32(0, 0, rate, ticks), LANGUAGE, u16(0)), handler, media));
}

/** Where each sample lies, how long it stands, and which ones stand alone. All samples are one chunk. */
function sampleTable(samples, setup, start) {
  const keys = samples.flatMap(({ key }, index) => (key ? [index + 1] : [])), sizes = samples.map(({ bytes }) => bytes.length);
  const colour = box("colr", ascii("nclx"), u16(1, 1, 1), [0]); // BT.709's primaries, transfer and matrix, limited range
  const look = [zeros(6), u16(1), zeros(16), u16(WIDTH, HEIGHT), u32(0x480000, 0x480000, 0), u16(1), zeros(32), u16(24, 0xffff)].flat();
  return box("stbl", full("stsd", 0, u32(1), box("avc1", look, box("avcC", [...setup]), colour)),
             full("stts", 0, u32(1, samples.length, 1)), full("stss", 0, u32(keys.length, ...keys)),
             full("stsc", 0, u32(1, 1, samples.length, 1)), full("stsz", 0, u32(0, samples.length, ...sizes)),
             full("stco", 0, u32(1, start)));
}

/** Title and comment, where players and file managers look for them. */
function remarks(title, comment) {
  const remark = (name, text) => box(name, box("data", u32(1, 0), [...new TextEncoder().encode(text)])); // 1: UTF-8
  const handler = full("hdlr", 0, u32(0), ascii("mdir"), ascii("appl"), zeros(9));
  return box("udta", full("meta", 0, handler, box("ilst", remark("\u00a9nam", title), remark("\u00a9cmt", comment))));
}
