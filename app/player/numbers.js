// How numbers are written: the rules of traffic_model/units.py, to which a test holds them.

/** Like Python's format: a true tie (only multiples of 1/2, 1/4, 1/8 can be one) goes to the even digit. */
function fixed(value, places) {
  const scaled = value * 10 ** places, floor = Math.floor(scaled);
  const tie = Number.isInteger(value * 2 ** (places + 1)) && scaled - floor === 0.5;
  return tie ? ((floor + (floor % 2)) / 10 ** places).toFixed(places) : value.toFixed(places);
}

const grouped = (value) => fixed(value, 0).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const threeDigits = (value) => (value >= 99.95 ? grouped(value) : fixed(value, value >= 9.995 ? 1 : 2));

/** Decimal bytes: 2.10 MB, 68.2 MB, 136 MB; below 1 kB the exact number. */
function decimalBytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  if (count < 1000) return `${grouped(count)} B`;
  let power = 1;
  while (power < units.length - 1 && count >= 1000 ** (power + 1) * 0.9995) power++;
  return `${threeDigits(count / 1000 ** power)} ${units[power]}`;
}

/** Three significant digits in the unit that fits: 29.0 µs, 3.60 ms, 1.54 s. */
function milliseconds(ms) {
  const [factor, unit] = ms >= 999.5 ? [1e-3, "s"] : ms >= 0.9995 ? [1, "ms"] : [1e3, "µs"];
  return `${threeDigits(ms * factor)} ${unit}`;
}

/** 1.5 %, 42 %, 100 %; never rounds up to 100 % or down to 0 %. */
function percent(share) {
  if (share === 0 || share === 1) return `${100 * share} %`;
  if (share < 0.0005) return "< 0.1 %";
  return share < 0.0995 ? `${fixed(100 * share, 1)} %` : `${Math.min(99, Number(fixed(100 * share, 0)))} %`;
}

/** 65×, 6.50×, 1.04×. */
function times(value) {
  return value >= 99.5 ? `${grouped(value)}×` : value < 9.995 ? `${threeDigits(value)}×` : `${fixed(value, 0)}×`;
}
