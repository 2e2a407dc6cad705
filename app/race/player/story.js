// The story: titles and descriptions, each computed from the numbers on show.
const TIE = 0.05;

/** How many of the chapters a moment has reached. */
const chapterOf = ({ clock }, { seconds }) => clock.chapters.filter((chapter) => chapter.seconds <= seconds).length;

const capital = (name) => name[0].toUpperCase() + name.slice(1);

const VERBS = { // what a lane does with the clock's units: before, on the way, and what they are called
  "compulsory bytes": ["must move", "moved", "bytes", "compulsory HBM bytes"],
  "requested bytes": ["requests", "requested", "bytes", "requested HBM bytes"],
  "DRAM bytes": ["moves", "moved", "DRAM bytes", "DRAM bytes"],
  "measured time": ["took", "run for", "time", "time"], steps: ["takes", "taken", "steps", "steps"],
};

/** The title of a moment; while it is asked for, the question. */
function claim({ lanes, clock, reversal, timed, asks }, moment) {
  if (asks) return asks;
  const { leader, trailer } = clock, [one, other] = lanes, [must, has, units, what] = VERBS[clock.name];
  const against = (verb) => `${one.said} ${verb} ${clock.words(one.total)}, ${other.said} ${clock.words(other.total)}`;
  if (moment.clock < clock.first) return `Same attention: ${against(must)}`;
  if (moment.clock >= clock.last) {
    if (timed?.both) return `${capital(against("took"))}: tiling and fusion together`;
    return (clock.inBytes && reversal) || verdict(clock, one, other, what);
  }
  return `${capital(leader.said)} is done. ${capital(trailer.said)} has ${has} ${percent(moment.clock / trailer.total)} of its ${units}.`;
}

/** The end: the second lane against the first, with a tie within 5 %. */
function verdict(clock, first, second, what) {
  const same = "Same output to rounding,", factor = first.total / second.total;
  if (factor > 1 + TIE) return `${same} ${clock.fewer(factor).replace(clock.name, what)}`;
  if (factor < 1 / (1 + TIE)) return `${same} but ${second.said} ${clock.inBytes ? "moves" : "takes"} ${times(1 / factor)} the ${what}`;
  return `${same} ${what} equal within 5 %`;
}

/** Which clock runs, and how fast where that differs from the first leg. */
function clockName({ clock }, moment) {
  const rest = moment.clock > clock.first && moment.clock < clock.last, { hurry } = clock;
  if (!rest || Math.abs(hurry - 1) < TIE) return `clock: ${clock.name}, same rate for both`;
  return `${hurry > 1 ? `fast-forward ${times(hurry)}` : `slow motion ${times(1 / hurry)}`}, clock: ${clock.name}`;
}

/** The moment in words, for those who do not see the picture. */
function describe(race, moment) {
  const lanes = race.lanes.map((lane, index) => {
    const { done } = moment.views[index], { clock } = race, again = decimalBytes(lane.rereads[done]), stored = matricesInWords(lane, done);
    const moved = clock.words(Math.min(Math.floor(moment.clock), lane.total)), total = clock.words(lane.total);
    const error = moment.clock >= lane.total && lane.error ? ` ${capital(lane.error)}.` : "";
    return `${capital(lane.said)}: ${moved}${race.asks ? "" : ` of ${total}`}, clock: ${clock.name}, ${again} moved again. ${stored}${error}`;
  });
  const counted = moment.clock >= race.clock.last && race.tick ? ` ${capital([race.tick].flat()[0])}.` : "";
  return `${claim(race, moment).replace(/\.$/, "")}. ${race.conditions.join(", ")}. ${lanes.join(" ")}${counted}`;
}

function matricesInWords(lane, done) {
  const share = (array, direction) => percent(lane.progress(array, direction, done).share);
  if (!lane.tracks["s write"]) return "S and P are never stored.";
  return `S is ${share("s", "write")} written and ${share("s", "read")} read back, P ${share("p", "write")} and ${share("p", "read")}.`;
}
