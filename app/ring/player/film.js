// The ring as a film: a moment of equal length for each step. In it every GPU works at the same rate, so that one with fewer pairs is done
// before the step is; copies go the whole way meanwhile. How long either takes is not modelled.
const MOST_SECONDS = 12, LONGEST_STEP = 2.4, STANDS = 1.2; // on screen: all of it, one step, the end
const MOVES = 0.85; // the share of a step that moves

class RingFilm {
  constructor(payload) {
    Object.assign(this, payload, { track: new Track(payload.gpus), plays: true, opening: 0 });
    this.length = Math.min(LONGEST_STEP, (MOST_SECONDS - STANDS) / this.gpus);
    this.seconds = this.length * this.gpus + STANDS;
    this.still = this.seconds;
    this.timeline = `ring ${this.gpus}`;
    const starts = Array.from({ length: this.gpus - 1 }, (_, step) => ({ name: `step ${step + 2}`, seconds: this.length * (step + 1) }));
    this.chapters = [...starts, { name: "end", seconds: this.seconds }];
    this.stops = [0, ...starts.map((_, step) => this.length * (step + MOVES)), this.seconds];
    this.end = this.at(this.seconds);
    const masked = this.steps.some(({ kind }) => kind !== "full");
    this.pairWords = masked ? "hatched: hidden by the mask, skipped" : "every query meets every key";
  }

  /** {seconds, index, share, done, rests}: the step's number from 0, how far it is, steps that are over, and whether nothing moves. */
  at(seconds) {
    const index = Math.min(this.gpus - 1, Math.floor(seconds / this.length + 1e-9));
    const share = Math.min(1, Math.max(0, (seconds / this.length - index) / MOVES));
    return { seconds, index, share, done: index + (share === 1), rests: share === 1 || !seconds };
  }

  /** To where the next step rests, or the one before. */
  step({ seconds, done, rests }, by) {
    const here = rests ? this.stops[done] : seconds;
    return this.at((by > 0 ? this.stops.find((stop) => stop > here) : this.stops.findLast((stop) => stop < here)) ?? here);
  }

  draw(context, moment, look) {
    const pen = new Pen(context, look.palette, look.family), { palette } = pen, quiet = { ink: palette.muted };
    pen.rectangle([0, 0, WIDTH, HEIGHT], palette.ground);
    pen.text(this.titles[this.chapterOf(moment)], LEFT, 40, { size: 32, weight: 700, room: RIGHT - LEFT });
    pen.text([this.conditions.join("    "), this.conditions.join("  ")], LEFT, 69, { room: RIGHT - LEFT, ...quiet });
    drawMembers(pen, this, moment);
    drawPairs(pen, this, moment);
    drawTotals(pen, this, moment);
    pen.text(this.footer, LEFT, 711, { size: 18, room: RIGHT - LEFT, ...quiet });
    return pen.boxes;
  }

  of(gpu, step) { return this.steps[gpu * this.gpus + step]; }

  /** What a GPU does in the step at hand; nothing before the first. */
  during({ seconds, index }, gpu) { return seconds ? this.of(gpu, index) : null; }

  /** Whose block a GPU has. */
  holds({ index }, gpu) { return this.of(gpu, index).owner; }

  /** The copies of the step at hand: on their way, and arrived until the next step begins. */
  onTheirWay({ seconds, index }) { return seconds ? this.steps.filter((step) => step.step === index && step.sent) : []; }

  /** Bytes so far, whole ones, of one GPU or of all: {hbm, sent, needless}. In a step they grow as it does. */
  moved({ seconds, index, share }, gpu = null) {
    const sums = { hbm: 0, sent: 0, needless: 0 };
    for (const step of seconds ? this.steps : []) {
      if (step.step > index || (gpu !== null && step.gpu !== gpu)) continue;
      const part = (bytes, far) => (step.step < index ? bytes : Math.floor(bytes * far));
      sums.hbm += part(step.hbm, step.share ? Math.min(1, share / step.share) : 1);
      for (const name of ["sent", "needless"]) sums[name] += part(step[name], share);
    }
    return sums;
  }

  /** Queries 512–1,023, in as many words as there is room for. */
  rowsOf([first, last]) { return ["queries ", "Q ", ""].map((name) => `${name}${grouped(first)}–${grouped(last)}`); }

  wayWords({ seconds, index, share }) {
    if (!seconds) return "each begins with its own K and V";
    if (index === this.gpus - 1) return share < 1 ? "no copies in the last step" : "each has had every block";
    return share < 1 ? "copies go on while GPUs work" : "each has the next block";
  }

  describe(moment) { return this.spoken[this.chapterOf(moment)]; }
  chapterOf({ seconds, index, share }) { return !seconds ? 0 : index === this.gpus - 1 && share === 1 ? this.gpus + 1 : index + 1; }
  under(moment, x, y) { return linesUnder(this, moment, x, y); }
  csv() { return ringAsCsv(this); }
  mark({ seconds }) { return seconds.toFixed(2); }
  secondsAt(mark) { return mark === null ? NaN : Number(mark); }
}

const openFilm = (payload) => new RingFilm(payload);
