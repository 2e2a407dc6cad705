// What all GPUs have moved: two bars of one scale, through HBM and over NVLink, each with its bytes to the last one.
const TOTALS = { top: 592, pitch: 44, height: 30, bar: 264, width: 524, right: 1256 };

function drawTotals(pen, film, moment) {
  const moved = film.moved(moment), whole = film.moved(film.end), most = Math.max(whole.hbm, whole.sent, 1);
  const rows = [["hbm", `HBM, ${film.measure}`, 0], ["sent", "NVLink", moved.needless]];
  rows.forEach(([name, said, needless], index) => {
    const y = TOTALS.top + TOTALS.pitch * index, base = y + 22, { palette } = pen, { fill } = palette.fused;
    const per = TOTALS.width / most, long = (bytes) => (bytes ? Math.max(2, per * bytes) : 0);
    pen.inside([LEFT, y, RIGHT - LEFT, TOTALS.height], () => {
      pen.text(said, LEFT, base, { size: 22, weight: 600 });
      pen.rectangle([TOTALS.bar, y, long(whole[name]), TOTALS.height], palette.track);
      pen.rectangle([TOTALS.bar, y, long(moved[name]), TOTALS.height], fill);
      if (needless) drawNeedless(pen, [TOTALS.bar + long(moved.sent - needless), y, per * needless, TOTALS.height]);
      const over = moved[name] === whole[name], words = `${grouped(moved[name])} B`;
      const rest = over ? 0 : pen.text(` of ${grouped(whole[name])} B`, TOTALS.right, base, { ink: palette.muted, align: "right" });
      pen.text(words, TOTALS.right - rest, base, { size: 22, weight: 700, align: "right" });
    });
  });
}

/** What of NVLink's bytes no GPU needs. */
function drawNeedless(pen, [x, y, width, height]) {
  pen.rectangle([x, y, width, height], pen.palette.fused.back);
  hatch(pen, [x, y, width, height], pen.palette.ink);
}
