// Okabe and Ito's colours with fixed roles: a colour belongs to a lane. `text` is the role's colour as text on the ground,
// `on` text on the fill, `back` the fill of what has been read back.
const PALETTES = {
  light: {
    ground: "#ffffff", panel: "#f4f5f6", ink: "#16181b", muted: "#4d5358", line: "#b9bec4", track: "#e3e6e9", data: "#8d969f",
    naive: { fill: "#D55E00", text: "#A84900", on: "#16181b", back: "#f0b58c" },
    tiled: { fill: "#E69F00", text: "#7A5400", on: "#16181b", back: "#f6d999" },
    fused: { fill: "#0072B2", text: "#005A8C", on: "#ffffff", back: "#8cbfdd" },
    fused_kv_outer: { fill: "#4FA3D9", text: "#1F5F8F", on: "#16181b", back: "#c3def1" },
  },
  dark: {
    ground: "#121417", panel: "#1c1f23", ink: "#f4f5f6", muted: "#b4bac1", line: "#4b5159", track: "#30353b", data: "#79828c",
    naive: { fill: "#F28E4B", text: "#F28E4B", on: "#101214", back: "#8a5433" },
    tiled: { fill: "#E69F00", text: "#E69F00", on: "#101214", back: "#7d5c14" },
    fused: { fill: "#56B4E9", text: "#56B4E9", on: "#101214", back: "#35678a" },
    fused_kv_outer: { fill: "#A9C6E8", text: "#A9C6E8", on: "#101214", back: "#4f6480" },
  },
};

/** WCAG's relative luminance of a colour "#rrggbb" or "rgb(r, g, b)", 0 to 1. */
function luminance(colour) {
  const hex = colour.trim().match(/^#(..)(..)(..)/), parts = hex ? hex.slice(1).map((h) => parseInt(h, 16)) : colour.match(/[\d.]+/g);
  const linear = parts.slice(0, 3).map((part) => part / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}
