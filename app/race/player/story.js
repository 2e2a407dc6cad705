// The story: titles and descriptions, each computed from the numbers on show.
const TIE = 0.05;

/** How many of the chapters a moment has reached. */
const chapterOf = ({ clock }, { seconds }) => clock.chapters.filter((chapter) => chapter.seconds <= seconds).length;

const capital = (name) => name[0].toUpperCase() + name.slice(1);

/** The title of a moment. */
function claim({ lanes, clock }, moment) {
  const { leader, trailer } = clock, [one, other] = lanes;
  if (moment.clock >= clock.last) return verdict(one.total, other.total, other.name);
  if (moment.clock < clock.first) {
    return `Same attention: ${one.name} must move ${decimalBytes(one.total)}, ${other.name} ${decimalBytes(other.total)}`;
  }
  return `${capital(leader.name)} is done. ${capital(trailer.name)} has moved ${percent(moment.clock / trailer.total)} of its bytes.`;
}

/** The end: the second lane's compulsory bytes against the first's, with a tie within 5 %. */
function verdict(first, second, name) {
  const same = "Same output to rounding,", factor = first / second;
  if (factor > 1 + TIE) return `${same} ${times(factor)} fewer compulsory HBM bytes`;
  if (factor < 1 / (1 + TIE)) return `${same} but ${name} moves ${times(1 / factor)} the compulsory HBM bytes`;
  return `${same} compulsory HBM bytes equal within 5 %`;
}

/** Which clock runs, and how fast where that differs from the first leg. */
function clockName({ clock }, moment) {
  const rest = moment.clock > clock.first && moment.clock < clock.last, { hurry } = clock;
  if (!rest || Math.abs(hurry - 1) < TIE) return "clock: compulsory bytes, same rate for both";
  return `${hurry > 1 ? `fast-forward ${times(hurry)}` : `slow motion ${times(1 / hurry)}`}, clock: compulsory bytes`;
}

/** The moment in words, for those who do not see the picture. */
function describe(race, moment) {
  const lanes = race.lanes.map((lane, index) => {
    const { done } = moment.views[index], total = decimalBytes(lane.total), again = decimalBytes(lane.rereads[done]);
    const moved = decimalBytes(Math.min(Math.floor(moment.clock), lane.total));
    return `${capital(lane.name)}: ${moved} of ${total} compulsory bytes moved, ${again} read again. ${matricesInWords(lane, done)}`;
  });
  return `${claim(race, moment).replace(/\.$/, "")}. ${race.conditions.join(", ")}. ${lanes.join(" ")}`;
}

function matricesInWords(lane, done) {
  const share = (array, direction) => percent(lane.progress(array, direction, done).share);
  if (!lane.tracks["s write"]) return "S and P are never stored.";
  return `S is ${share("s", "write")} written and ${share("s", "read")} read back, P ${share("p", "write")} and ${share("p", "read")}.`;
}
