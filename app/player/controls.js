// Controls: the buttons, the scrubber and its chapters, and the keys. They ask a player and know nothing of attention.
const ICONS = {
  play: "M5 3l14 9-14 9z", pause: "M5 3h5v18H5zM14 3h5v18h-5z", back: "M19 3v18L8 12zM4 3h3v18H4z", step: "M5 3v18l11-9zM17 3h3v18h-3z",
  loop: "M6 7h10V3l6 6-6 6v-4H9v4H5V8zM18 17H8v4l-6-6 6-6v4h7v-4h4v7z",
  full: "M3 3h7v3H6v4H3zM14 3h7v7h-3V6h-4zM3 14h3v4h4v3H3zM18 14h3v7h-7v-3h4z",
};
const OWN_KEYS = "input, textarea, select, button, summary, canvas, [contenteditable], [role]"; // what answers to keys itself
const SPEEDS = [0.25, 0.5, 1, 2, 4], GAP = 6; // px between chapters' names

const icon = (name) =>
  `<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="${ICONS[name]}" fill="currentColor"/></svg>`;
const button = (action, label, content, more = "") =>
  `<button type="button" data-action="${action}" title="${label}" aria-label="${label}" ${more}>${content}</button>`;

const BUTTONS = `
${button("back", "Step back (left arrow)", icon("back"))}
${button("play", "Play or pause (space)", "", 'class="main"')}
${button("step", "Step (right arrow)", icon("step"))}
<div class="track">
  <input type="range" min="0" step="0.01" value="0" aria-label="Moment"><div class="chapters"></div>
</div>
${button("speed", "Speed", "1×")}
${button("loop", "Loop", icon("loop"), 'aria-pressed="false"')}
${button("code", "The line of kernel code (c)", "Code", 'aria-pressed="false"')}
${button("save", "Save as a file", "Save", 'aria-expanded="false"')}
${button("full", "Present (f)", icon("full"))}
<div class="menu" hidden></div>`;

class Controls {
  /** root: the player's element, whose keys are listened to; holder: an empty element for the buttons. */
  constructor(root, holder, player) {
    Object.assign(this, { root, holder, player, chapters: [] });
    holder.innerHTML = BUTTONS;
    this.scrubber = holder.querySelector("input");
    this.scrubber.addEventListener("input", () => player.seek(Number(this.scrubber.value)));
    this.save = new Save(this.#button("save"), holder.querySelector(".menu"), player);
    holder.addEventListener("click", ({ target }) => this.#press(target.closest("[data-action]")));
    this.onKey = (event) => this.#key(event);
    document.addEventListener("keydown", this.onKey);
    this.show(0, false);
  }

  remove() {
    document.removeEventListener("keydown", this.onKey);
    this.save.remove();
  }

  show(seconds, playing) {
    this.scrubber.value = seconds;
    if (playing === this.playing) return;
    this.playing = playing;
    this.holder.querySelector(".main").innerHTML = playing ? `${icon("pause")}<span>Pause</span>` : `${icon("play")}<span>Play</span>`;
  }

  /** Marks the film's chapters on the scrubber, each with its name as a button that jumps there. */
  setFilm({ seconds: length, chapters, hasCode }) {
    Object.assign(this, { length, chapters });
    this.#button("code").hidden = !hasCode;
    this.scrubber.max = length;
    this.holder.querySelector(".chapters").replaceChildren(...chapters.flatMap(({ name, seconds }) => {
      const mark = document.createElement("i"), label = document.createElement("button");
      mark.style.left = `${(100 * seconds) / length}%`;
      Object.assign(label, { type: "button", textContent: name, title: `Go to: ${name}`, onclick: () => this.player.seek(seconds) });
      return [mark, label];
    }));
    this.spread();
  }

  /** Puts the names under their marks, moved apart where they would meet. */
  spread() {
    const line = this.holder.querySelector(".chapters"), labels = [...line.querySelectorAll("button")], total = line.clientWidth;
    if (!total) return;
    const wide = labels.map((label) => label.offsetWidth), left = [];
    this.chapters.forEach(({ seconds }, i) => {
      left[i] = Math.max((total * seconds) / this.length - wide[i] / 2, i ? left[i - 1] + wide[i - 1] + GAP : 0);
    });
    for (let i = left.length - 1; i >= 0; i--) left[i] = Math.min(left[i], (i + 1 < left.length ? left[i + 1] - GAP : total) - wide[i]);
    labels.forEach((label, i) => { label.style.left = `${left[i]}px`; });
  }

  #press(pressed) {
    const { player } = this, actions = {
      play: () => player.toggle(), back: () => player.step(-1), step: () => player.step(1),
      speed: () => this.#pace((SPEEDS.indexOf(player.speed) + 1) % SPEEDS.length),
      loop: () => {
        player.loop = !player.loop;
        pressed.setAttribute("aria-pressed", player.loop);
      },
      code: () => this.#code(), save: () => this.save.press(), full: () => player.stage.present(),
    };
    if (pressed) actions[pressed.dataset.action]();
  }

  /** Keys count unless something else needs them: a slider elsewhere keeps its arrows, a button its space. */
  #key(event) {
    const [target] = event.composedPath(), elsewhere = !event.composedPath().includes(this.root) && target.closest(OWN_KEYS);
    if (event.ctrlKey || event.metaKey || event.altKey || elsewhere) return;
    const { player } = this, { stage } = player, count = event.shiftKey ? 10 : 1, pace = SPEEDS.indexOf(player.speed);
    const actions = {
      ArrowRight: () => player.step(count), ArrowLeft: () => player.step(-count),
      Home: () => player.seek(0), End: () => player.seek(this.length),
      "[": () => this.#pace(Math.max(0, pace - 1)), "]": () => this.#pace(Math.min(SPEEDS.length - 1, pace + 1)),
      f: () => stage.present(), ".": () => stage.blank(),
    };
    if (target.tagName !== "BUTTON") actions[" "] = () => player.toggle();
    if (player.film.hasCode) actions.c = () => this.#code();
    if (stage.presenting) { // what a clicker sends; elsewhere these keys are the page's own
      Object.assign(actions, { PageDown: () => player.chapter(1), PageUp: () => player.chapter(-1), Escape: () => stage.present(false) });
    }
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  #pace(index) {
    this.player.speed = SPEEDS[index];
    this.#button("speed").textContent = `${SPEEDS[index]}×`;
  }

  #code() {
    this.player.toggleCode();
    this.#button("code").setAttribute("aria-pressed", this.player.code);
  }

  #button(action) { return this.holder.querySelector(`[data-action=${action}]`); }
}
