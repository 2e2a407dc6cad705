// The softmax as a film: moments of equal length, one for each line of the worksheet or each tile of a real row. A moment begins with a
// change and then stands; steps and chapters go to where it stands.
const HAND_MOMENT = 3, REAL_LENGTH = 12; // seconds of a moment by hand, and of a whole real row
const CHANGE = 0.4; // the share of a moment that moves

class SoftmaxFilm {
  constructor(payload) {
    Object.assign(this, payload, { count: payload.titles.length, plays: false });
    this.moment = payload.kind === "hand" ? HAND_MOMENT : REAL_LENGTH / this.count;
    this.seconds = this.moment * this.count;
    this.timeline = `softmax ${payload.kind} ${this.count} ${payload.asks ?? ""}`;
    this.opening = this.still = this.standing(payload.asks ? 0 : payload.kind === "hand" ? 1 : this.count - 1);
    this.chapters = payload.asks ? [] : this.#chapters();
    this.motion = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** When a moment has come to a stand. */
  standing(index) { return this.moment * (index + CHANGE); }

  /** {seconds, index, share}: the moment's number, and how much of its change is done, eased. */
  at(seconds) {
    const index = Math.min(this.count - 1, Math.floor(seconds / this.moment + 1e-9));
    const linear = Math.min(1, Math.max(0, (seconds / this.moment - index) / CHANGE));
    return { seconds, index, share: this.motion || !seconds ? linear * linear * (3 - 2 * linear) : 1 };
  }

  step({ seconds, index, share }, by) {
    const to = by > 0 ? index + (share < 1 ? 0 : 1) : index - 1;
    return this.at(to < 0 ? 0 : to < this.count ? this.standing(to) : this.seconds);
  }

  draw(context, moment, look) {
    const pen = new Pen(context, look.palette, look.family), { palette } = pen, quiet = { ink: palette.muted };
    pen.rectangle([0, 0, WIDTH, HEIGHT], palette.ground);
    pen.text(this.asks ?? this.titles[moment.index], LEFT, 40, { size: 34, weight: 700, room: RIGHT - LEFT });
    pen.text([this.conditions.join("    "), this.conditions.join("  ")], LEFT, 69, { room: RIGHT - LEFT, ...quiet });
    if (this.kind === "hand") drawByHand(pen, this, moment); else drawRealRow(pen, this, moment);
    pen.text(this.footer, LEFT, 711, { size: 18, room: RIGHT - LEFT, ...quiet });
    return pen.boxes;
  }

  describe({ index }) { return this.asks ?? this.spoken[index]; }
  chapterOf({ index }) { return index; }
  mark({ seconds, index }) { return String(seconds ? index + 1 : 0); }
  secondsAt(mark) {
    const index = /^\d+$/.test(mark) ? Number(mark) - 1 : NaN;
    return index === -1 ? 0 : index < this.count ? this.standing(index) : NaN;
  }

  /** By hand every line; of a real row the tiles that raise m, the larger raises first where the scrubber has no room, and the end. */
  #chapters() {
    if (this.kind === "hand") return this.titles.map((_, index) => ({ name: CHAPTERS[index], seconds: this.standing(index) }));
    const raised = this.steps.map((step, index) => ({ index, alpha: step.alpha })).filter(({ index, alpha }) => index && alpha < 1);
    const most = raised.sort((a, b) => a.alpha - b.alpha).slice(0, 4).map(({ index }) => index).filter((index) => index < this.count - 1);
    const named = most.sort((a, b) => a - b).map((index) => ({ name: `tile ${index + 1}`, seconds: this.standing(index) }));
    return [...named, { name: "end", seconds: this.seconds }];
  }
}

const CHAPTERS = ["tile 1", "rescale", "tile 2", "divide"];
const LEFT = 24, RIGHT = 1256;
const between = (from, to, share) => from + (to - from) * share;

const openFilm = (payload) => new SoftmaxFilm(payload);
