// Clock: what passes at the same rate in both lanes, bytes of a measure or steps, and how it passes in ten seconds on screen.
const LEG = 4, HOLD = 1, REST = 4, STILL = 1; // seconds: until one lane is done, a look at that, the other's rest, the end
const SECONDS = LEG + HOLD + REST + STILL;

const PER_MS = 1e11; // units of measured time, so fine that every move takes a whole number of them
const COSTS = { // per clock: from a lane's record and number to (move, kernel) → cost of each block
  "compulsory bytes": () => ({ compulsory }) => compulsory, "requested bytes": () => ({ requested }) => requested,
  steps: () => ({ requested }) => requested.map(() => 1),
  "DRAM bytes": ({ sweeps, dram }) => {
    const all = {}; // per kernel and way of an array: its bytes in one head, and how far they have been spread
    for (const [kernel, , , , moves] of sweeps) {
      for (const [array, direction, ...runs] of moves) {
        const of = (all[`${kernel} ${array} ${direction}`] ??= { first: 0, again: 0, touched: 0, moved: 0, spent: 0 });
        const [compulsory, requested] = runs.map(expand);
        compulsory.forEach((bytes, block) => { of.first += bytes; of.again += Math.max(0, requested[block] - bytes); });
      }
    }
    return ({ array, direction, compulsory, requested }, kernel) => {
      const way = `${kernel} ${array} ${direction}`, of = all[way];
      const [first, again] = of.again ? dram[way] : [dram[way][0] + dram[way][1], 0]; // other heads ask again, this one does not
      return requested.map((bytes, block) => {
        of.touched += compulsory[block];
        of.moved += Math.max(0, bytes - compulsory[block]);
        const before = of.spent; // whole bytes up to here: what the moves cost adds up to all of them
        of.spent = Math.floor(first * (of.first && of.touched / of.first)) + Math.floor(again * (of.again && of.moved / of.again));
        return of.spent - before;
      });
    };
  },
  "measured time": ({ sweeps }, milliseconds) => {
    const asked = []; // requested bytes of each kernel: its time is spread over its moves in proportion to them
    for (const [kernel, , , , moves] of sweeps) {
      const runs = moves.flatMap(([, , , requested]) => requested);
      asked[kernel] = runs.reduce((sum, [count, bytes]) => sum + count * bytes, asked[kernel] ?? 0);
    }
    return ({ requested }, kernel) => requested.map((bytes) => Math.round((bytes * PER_MS * milliseconds[kernel - 1]) / asked[kernel]));
  },
};

class Clock {
  /** name: a key of COSTS; lanes made with its cost. */
  constructor(name, lanes) {
    Object.assign(this, { name, lanes, inBytes: name.endsWith("bytes"), compulsory: name.startsWith("compulsory"),
                          modelled: name === "DRAM bytes" });
    const totals = lanes.map((lane) => lane.total);
    this.first = Math.min(...totals);
    this.last = Math.max(...totals);
    this.leader = lanes[totals.lastIndexOf(this.first)];
    this.trailer = lanes.find((lane) => lane !== this.leader);
    this.chapters = this.#chapters();
  }

  /** How many times the first leg's rate the rest is played at. */
  get hurry() { return (this.last - this.first) / REST / (this.first / LEG); }

  /** 2.10 MB, 1,024 steps, 3.60 ms. */
  words(amount) {
    if (this.inBytes) return decimalBytes(amount);
    return this.name === "steps" ? `${grouped(amount)} steps` : milliseconds(amount / PER_MS);
  }

  /** 65× fewer compulsory bytes, 4.21× less time. */
  fewer(factor) { return `${times(factor)} ${this.name === "measured time" ? "less time" : `fewer ${this.name}`}`; }

  valueAt(seconds) {
    if (seconds <= LEG) return (this.first * seconds) / LEG;
    const rest = Math.min(1, Math.max(0, (seconds - LEG - HOLD) / REST));
    return this.first + (this.last - this.first) * rest;
  }

  secondsAt(value) {
    if (value <= this.first) return (LEG * value) / this.first;
    return LEG + HOLD + (REST * (value - this.first)) / (this.last - this.first);
  }

  /** How long a byte or a step takes on screen at this moment; forever while the clock stands still. */
  secondsPerUnit(seconds) {
    if (seconds < LEG) return LEG / this.first;
    return seconds > LEG + HOLD && seconds < LEG + HOLD + REST ? REST / (this.last - this.first) : Infinity;
  }

  /** The same moment in both lanes: {clock, seconds, views}. */
  at(seconds) {
    const clock = this.valueAt(seconds);
    return { clock, seconds, views: this.lanes.map((lane) => lane.during(clock)) };
  }

  /** The next event of either lane, or with `by` < 0 the last one undone: every event is a step, also one that costs nothing. */
  step(moment, by) {
    const done = moment.views.map((view) => view.done), end = (lane, index) => this.lanes[lane].ends[index];
    let clock = moment.clock;
    const order = [0, 1].filter((lane) => (by > 0 ? done[lane] < this.lanes[lane].count : done[lane] > 0));
    if (by > 0 && order.length) {
      const lane = order.reduce((a, b) => (end(b, done[b]) < end(a, done[a]) ? b : a));
      clock = Math.max(clock, end(lane, done[lane]++));
    } else if (by < 0 && order.length) {
      const reached = () => Math.max(...[0, 1].map((lane) => (done[lane] ? end(lane, done[lane] - 1) : 0)));
      if (clock <= reached()) done[order.reduce((a, b) => (end(b, done[b] - 1) >= end(a, done[a] - 1) ? b : a))]--;
      clock = reached();
    } else if (by < 0) clock = 0;
    return { clock, seconds: this.secondsAt(clock), views: this.lanes.map((lane, i) => lane.after(done[i], clock)) };
  }

  #chapters() {
    const marks = [{ name: `${this.leader.said} done`, seconds: LEG }];
    for (const array of ["s", "p"]) {
      for (const lane of this.lanes) {
        const track = lane.tracks[`${array} read`];
        if (!track || marks.some(({ name }) => name === `${array.toUpperCase()} comes back`)) continue;
        const index = lane.sweeps[track.sweeps[0]].first;
        marks.push({ name: `${array.toUpperCase()} comes back`, seconds: this.secondsAt(index ? lane.ends[index - 1] : 0) });
      }
    }
    return [...marks, { name: "end", seconds: LEG + HOLD + REST }].sort((a, b) => a.seconds - b.seconds);
  }
}
