// Lane: one algorithm's events, expanded once from its sweeps into flat running sums, so that any moment is two binary searches away.

/** Index of the first element greater than `value` in an ascending array. */
function firstAbove(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

const VISIBLE = 0.12; // seconds that something must stay to be read

/** Bytes per block from runs of [count, bytes]. */
function expand(runs) {
  const bytes = new Float64Array(runs.reduce((sum, [count]) => sum + count, 0));
  let at = 0;
  for (const [count, value] of runs) bytes.fill(value, at, at += count);
  return bytes;
}

class Lane {
  /** record: a lane of app/race/payload.py; cost(move, kernel): the clock's units of each block. */
  constructor(record, cost) {
    Object.assign(this, record);
    this.sweeps = record.sweeps.map(([kernel, row, stage, blocks, moves, column], number, all) => ({
      kernel, row, stage, blocks, column, first: 0, cost: 0, again: new Set(),
      walked: all[number - 1]?.[2] === "keys" ? all[number - 1][3] : 0,
      moves: moves.map(([array, direction, compulsory, requested]) => {
        const move = { array, direction, compulsory: expand(compulsory), requested: expand(requested) };
        return { ...move, cost: cost(move, kernel) };
      }),
    }));
    this.count = this.sweeps.reduce((sum, sweep) => sum + sweep.blocks * sweep.moves.length, 0);
    this.ends = new Float64Array(this.count); // the clock when an event is over
    this.rereads = new Float64Array(this.count + 1); // bytes moved beyond the compulsory ones before an event
    this.sweepOf = new Uint32Array(this.count);
    this.tracks = {}; // "s write": the sweeps that move S for the first time, in order
    this.kernelEnds = [0]; // the clock when each kernel is over
    this.uses = []; // per kernel the arrays it reads and writes, and of those read the ones it reads again
    this.#expandEvents();
  }

  get total() { return this.count ? this.ends[this.count - 1] : 0; }

  #expandEvents() {
    const { ends, rereads, sweepOf } = this;
    let index = 0, moved = 0;
    this.sweeps.forEach((sweep, number) => {
      const { blocks, moves } = sweep;
      sweep.first = index;
      for (let block = 0; block < blocks; block++) {
        for (let place = 0; place < moves.length; place++, index++) {
          const compulsory = moves[place].compulsory[block], more = moves[place].requested[block] - compulsory;
          ends[index] = moved += moves[place].cost[block];
          rereads[index + 1] = rereads[index] + (more > 0 ? more : 0);
          sweepOf[index] = number;
        }
      }
      this.kernelEnds[sweep.kernel] = moved;
      moves.forEach((move, place) => { this.#keepTrack(sweep, number, move, place); this.#keepUse(sweep, move); });
    });
  }

  #keepTrack(sweep, number, move, place) {
    const bytes = move.compulsory.reduce((sum, value) => sum + value, 0);
    sweep.cost += move.cost.reduce((sum, value) => sum + value, 0);
    if (!bytes) return;
    const track = (this.tracks[`${move.array} ${move.direction}`] ??= { entries: [], sweeps: [], before: [0] });
    track.entries.push({ row: sweep.row, column: sweep.column, blocks: sweep.blocks, place, move });
    track.sweeps.push(number);
    track.before.push(track.before.at(-1) + bytes);
  }

  #keepUse({ kernel, again }, { array, direction, compulsory, requested }) {
    const use = (this.uses[kernel] ??= { read: new Set(), write: new Set(), again: new Set() });
    use[direction].add(array);
    if (requested.some((bytes, block) => bytes > compulsory[block])) use.again.add(array);
    if (compulsory.includes(0)) again.add(array);
  }

  event(index) {
    const sweep = this.sweeps[this.sweepOf[index]], local = index - sweep.first, start = index ? this.ends[index - 1] : 0;
    const { array, direction, compulsory, requested } = sweep.moves[local % sweep.moves.length];
    const { kernel, stage, walked } = sweep, block = Math.floor(local / sweep.moves.length), down = sweep.column !== null;
    const [row, column] = down ? [sweep.row + block, sweep.column] : [sweep.row, block];
    return { sweep, kernel, stage, row, column, walked, array, direction, start, cost: this.ends[index] - start,
             compulsory: compulsory[block], requested: requested[block] };
  }

  /** The moment when the clock stands at `clock`: the event in flight, and the re-reads before it, spread over it as a pulse. */
  during(clock) {
    const next = firstAbove(this.ends, clock);
    if (next === this.count) return { done: next, flight: null, fraction: 0, pulse: null, waiting: 0 };
    const flight = this.event(next), fraction = (clock - flight.start) / flight.cost;
    const paid = flight.start ? firstAbove(this.ends, flight.start - 1) + 1 : 0; // costs are whole, so this finds what ended at start
    const done = paid + Math.floor(fraction * (next - paid));
    return { done, flight, fraction, pulse: paid < next ? this.event(done) : null, waiting: next - paid };
  }

  /** The moment after exactly `done` events, the clock at `clock`: a re-read in turn is a pulse, and nothing else moves. */
  after(done, clock) {
    if (done === this.count) return { done, flight: null, fraction: 0, pulse: null, waiting: 0 };
    const event = this.event(done);
    if (!event.cost) return { done, flight: null, fraction: 0, pulse: event, waiting: 1 };
    return { done, flight: event, fraction: Math.max(0, (clock - event.start) / event.cost), pulse: null, waiting: 0 };
  }

  /** How much of a moment the eye can follow when a unit of the clock takes so long: its tile, only its row, or only its kernel. */
  pace({ flight }, secondsPerUnit) {
    if (!flight || flight.cost * secondsPerUnit >= VISIBLE) return "tile";
    return flight.sweep.cost * secondsPerUnit >= VISIBLE ? "row" : "kernel";
  }

  /** The arrays moved again at a moment, and the one block where the eye can follow it. */
  again({ done, flight, pulse, waiting }, pace, secondsPerUnit) {
    if (pace === "kernel") return { arrays: this.rereads[done] ? [...this.uses[flight.kernel].again] : [], block: null };
    if (!pulse) {
      if (pace === "row") return { arrays: [...flight.sweep.again], block: null };
      return flight && !flight.compulsory ? { arrays: [flight.array], block: flight } : { arrays: [], block: null };
    }
    const single = !flight || (flight.cost * secondsPerUnit) / waiting >= VISIBLE;
    return single ? { arrays: [pulse.array], block: pulse } : { arrays: [...pulse.sweep.again], block: null };
  }

  /** How far an array has moved for the first time after `done` events: whole sweeps, then blocks of the next one, and bytes. */
  progress(array, direction, done) {
    const track = this.tracks[`${array} ${direction}`];
    if (!track) return { entries: [], whole: 0, blocks: 0, bytes: 0, total: 0, share: 0 };
    const now = done < this.count ? this.sweepOf[done] : this.sweeps.length, whole = firstAbove(track.sweeps, now - 1);
    let blocks = 0, bytes = track.before[whole];
    if (track.sweeps[whole] === now) {
      const { place, move } = track.entries[whole], { first, moves } = this.sweeps[now];
      blocks = Math.max(0, Math.ceil((done - first - place) / moves.length));
      for (let block = 0; block < blocks; block++) bytes += move.compulsory[block];
    }
    const total = track.before.at(-1);
    return { entries: track.entries, whole, blocks, bytes, total, share: bytes / total };
  }
}
