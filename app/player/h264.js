// H264: a film as H.264 video in an MP4 file, through the browser's own encoder; and why not, where it has none.
const MP4_RATE = 30, BITS_PER_SECOND = 6e6, MOST_WAITING = 2, LOOK_AGAIN = 50; // frames a second; frames that wait; ms
const CODECS = ["avc1.640028", "avc1.4d0028", "avc1.42e028"]; // level 4; high, main, baseline
const PICTURE = { format: "I420", codedWidth: WIDTH, codedHeight: HEIGHT, colorSpace: BT709 };

/** What this browser's encoder is to be asked for, or undefined. */
async function h264Settings() {
  for (const codec of window.VideoEncoder ? CODECS : []) {
    const wanted = { codec, width: WIDTH, height: HEIGHT, framerate: MP4_RATE, bitrate: BITS_PER_SECOND, avc: { format: "avc" } };
    const { supported, config } = await VideoEncoder.isConfigSupported(wanted).catch(() => ({}));
    if (supported) return config;
  }
}

/** Why there can be no MP4, in words; null where there can. */
async function whyNoMp4() {
  if (await h264Settings()) return null;
  if (!isSecureContext) return "browsers encode video only on https or localhost";
  return window.VideoEncoder ? "this browser has no H.264 encoder" : "this browser has no WebCodecs";
}

/** reel: at MP4_RATE. step(share of the work that is done): awaited before every frame. Returns a Blob. */
async function h264(reel, title, comment, step) {
  const samples = [], settings = await h264Settings();
  let about, failure;
  const keep = (chunk, metadata) => {
    about = metadata?.decoderConfig ?? about;
    if (chunk.timestamp !== microseconds(samples.length, reel)) failure ??= new Error("the encoder leaves out or swaps frames");
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    samples.push({ bytes, key: chunk.type === "key" });
  };
  const encoder = new VideoEncoder({ output: keep, error: (error) => { failure ??= error; } });
  try {
    encoder.configure(settings);
    for (let k = 0; k < reel.count && !failure; k++) {
      await step(k / reel.count);
      while (!failure && encoder.encodeQueueSize > MOST_WAITING) await shorter(encoder);
      const frame = new VideoFrame(i420(reel.pixels(k)), { ...PICTURE, timestamp: microseconds(k, reel), duration: microseconds(1, reel) });
      encoder.encode(frame, { keyFrame: k % reel.rate === 0 });
      frame.close();
    }
    if (!failure) await encoder.flush();
  } finally {
    if (encoder.state !== "closed") encoder.close();
  }
  if (failure) throw failure;
  return mp4({ samples, rate: reel.rate, setup: new Uint8Array(about.description), title, comment });
}

/** Until the encoder has taken a frame; not every browser says so. */
const shorter = (encoder) => new Promise((resolve) => {
  encoder.ondequeue = resolve;
  setTimeout(resolve, LOOK_AGAIN);
});

const microseconds = (frame, { rate }) => Math.round((frame * 1e6) / rate);
