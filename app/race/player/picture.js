// The picture: one moment of the race on a 1280×720 sheet. It returns every text box it drew.
const LANE_TOPS = [80, 389], HBM_BELOW = 38, LEFT = 24, RIGHT = 1256;

/** race: a RaceFilm; moment: {clock, seconds, views}; look: {palette, family, speed: 0 while it stands, code: whether to show it}. */
function drawRace(context, race, moment, { palette, family, speed, code }) {
  const pen = new Pen(context, palette, family), quiet = { ink: palette.muted };
  pen.rectangle([0, 0, WIDTH, HEIGHT], palette.ground);
  pen.text(claim(race, moment), LEFT, 40, { size: 34, weight: 700, room: RIGHT - LEFT });
  const named = pen.text(clockName(race, moment), RIGHT, 69, { weight: 600, align: "right", ...quiet });
  pen.text([race.conditions.join("    "), race.conditions.join("  ")], LEFT, 69, { room: RIGHT - LEFT - named - 24, ...quiet });
  const secondsPerUnit = speed ? race.clock.secondsPerUnit(moment.seconds) / speed : Infinity;
  race.lanes.forEach((lane, index) => {
    const view = moment.views[index], pace = lane.pace(view, secondsPerUnit), again = lane.again(view, pace, secondsPerUnit);
    drawLane(pen, race, index, { ...view, pace, again, code }, moment.clock);
  });
  drawFooter(pen, race, moment);
  return pen.boxes;
}

function drawLane(pen, race, index, view, clock) {
  const lane = race.lanes[index], y = LANE_TOPS[index];
  drawHeading(pen, race, lane, view, clock, y);
  const top = y + HBM_BELOW, road = top + HBM.height + 6;
  drawHbm(pen, race, lane, view, top);
  drawCaches(pen, lane, view, top, HBM.height, !race.modelled);
  drawMultiprocessor(pen, race, lane, view, top, HBM.height);
  drawShortcut(pen, lane, view, top);
  drawRoad(pen, race, lane, view, road);
  if (!race.asks) drawBytes(pen, race, lane, clock, road + ROAD.height + 4);
}

/** The lane's name, what it does, or the line of code that is at work, in the end its output's error, and how much it has moved. */
function drawHeading(pen, race, lane, view, clock, y) {
  const { palette } = pen, colours = palette[lane.name], over = clock >= lane.total, total = race.clock.words(lane.total);
  pen.box([LEFT, y + 6, 22, 22], { radius: 5, fill: colours.fill });
  const name = pen.text(capital(lane.said), 56, y + 27, { size: 28, weight: 700, ink: colours.text });
  const rest = over || race.asks ? 0 : pen.text(` of ${total}`, RIGHT, y + 28, { size: 22, ink: palette.muted, align: "right" });
  const moved = over ? `done: ${total}` : race.clock.words(Math.floor(clock)).replace(/ steps$/, "");
  const count = pen.text(moved, RIGHT - rest, y + 28, { size: 32, weight: 700, ink: colours.text, align: "right" });
  const left = 56 + name + 16, room = RIGHT - rest - count - 24 - left;
  if (view.code && drawCode(pen, lane, view, left, y + 26, room)) return;
  pen.text((over && lane.error) || lane.says, left, y + 27, { size: 22, room });
}

function drawFooter(pen, race, moment) {
  const small = { size: 19, ink: pen.palette.muted }, over = moment.clock >= race.clock.last;
  const predicted = (over && race.tick) || race.executed?.kinds || "predicted", alone = over && race.differs && !race.timed;
  const kinds = race.timed ? "timed" : race.modelled ? "modelled" : predicted;
  const kind = pen.text(kinds, RIGHT, 711, { ...small, weight: 600, align: "right", room: alone ? RIGHT - LEFT : KIND_ROOM });
  if (alone) return; // what disagrees needs the line
  const means = race.timed ? timesMean(race.timed) : race.modelled ? modelMeans(race) : MEANS[race.clockName];
  pen.text(means.map((words) => `${words} ${race.drawn}`), LEFT, 711, { ...small, room: RIGHT - LEFT - kind - 24 });
}

const KIND_ROOM = 640; // beside the shortest words on what the clock counts

/** Of measured time: whose, and how a kernel's time is spread. */
const timesMean = ({ heads, source }) => [
  `Each kernel's median time over ${heads}, ${source}, spread over its moves by requested bytes.`,
  `Median times over ${heads}, ${source}.`, `Times ${source}.`];

/** Of DRAM bytes: whose, and how a kernel's are spread. */
const modelMeans = ({ modelled, gpu }) => {
  const spread = "first touches in full, the rest over what is asked for again.";
  return [`DRAM bytes of ${modelled} on ${gpu.name}, per kernel: ${spread}`, `DRAM bytes of ${modelled}, per kernel: ${spread}`,
          `DRAM bytes of ${modelled}: first touches in full, the rest over re-reads.`, `DRAM bytes of ${modelled}.`, "DRAM bytes."];
};

const MEANS = { // what the clock counts, longest first
  "compulsory bytes": ["Compulsory bytes: each kernel reads its inputs once, writes its outputs once. Bytes, not time.",
                       "Compulsory: each kernel reads inputs once, writes outputs once. Bytes, not time.", "Compulsory bytes, not time."],
  "requested bytes": ["Requested bytes: what every thread asks for, again and again; caches serve most of it. Bytes, not time.",
                      "Requested: what every thread asks for; caches serve most of it. Bytes, not time.", "Requested bytes, not time."],
  steps: ["Steps: one block of one array, moved once, whatever its size. Steps, not time.", "Steps: one block moved once. Not time.",
          "Steps, not time."],
};
