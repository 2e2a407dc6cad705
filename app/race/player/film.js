// The race as a film: what the player asks for, answered by the clock, the picture and the story.
class RaceFilm {
  constructor(payload) {
    const cost = (record, index) => COSTS[payload.clockName](record, payload.timed?.milliseconds[index]);
    const lanes = payload.lanes.map((record, index) => new Lane(record, cost(record, index)));
    Object.assign(this, payload, { lanes, clock: new Clock(payload.clockName, lanes), matrices: new Matrices(payload) });
    Object.assign(this, { timeline: "race", seconds: SECONDS, opening: 0, still: LEG, plays: true, hasCode: true });
    if (payload.asks) Object.assign(this, { still: 0, plays: false });
    this.chapters = this.clock.chapters;
  }

  at(seconds) { return this.clock.at(seconds); }
  step(moment, by) { return this.clock.step(moment, by); }
  draw(context, moment, look) { return drawRace(context, this, moment, look); }
  touches(index, array, row, column, done) { return touches(this.lanes[index], array, row, column, done); }
  under(moment, x, y) { return blockUnder(this, moment, x, y); }
  csv() { return stepsAsCsv(this); }
  describe(moment) { return describe(this, moment); }
  chapterOf(moment) { return chapterOf(this, moment); }
  mark({ seconds }) { return seconds.toFixed(2); }
  secondsAt(mark) { return mark === null ? NaN : Number(mark); }
}

const openFilm = (payload) => new RaceFilm(payload);
