// Player: one element with a canvas and its controls. It is made once and kept: new settings are loaded into it, its moment stays.
const EXPORT_SCALE = 3; // pixels of a saved frame per px of the sheet
const remembered = { seconds: null }; // where the last player of this page stood, so that coming back to the page does not start over

class Player {
  /** root: an empty element. options: {theme: "light" | "dark", autoplay}. */
  constructor(root, payload, { theme = "light", autoplay = true } = {}) {
    root.innerHTML = '<canvas role="img"></canvas><div class="controls"></div><div class="spoken" aria-live="polite"></div>';
    Object.assign(root, { className: "race", tabIndex: 0 });
    Object.assign(this, { root, canvas: root.querySelector("canvas"), loop: false, speed: 1, playing: false });
    this.moment = { seconds: remembered.seconds ?? 0 };
    this.controls = new Controls(root, root.querySelector(".controls"), this);
    this.setTheme(theme);
    this.load(payload);
    this.sizes = new ResizeObserver(() => this.#fit());
    this.sizes.observe(this.canvas);
    document.fonts?.ready.then(() => this.draw());
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (remembered.seconds !== null) return;
    if (still) this.seek(LEG); else if (autoplay) this.play();
  }

  /** Other settings: the moment on screen stays. */
  load(payload) {
    if (payload.id === this.race?.id) return;
    const lanes = payload.lanes.map((record) => new Lane(record));
    this.race = { ...payload, lanes, clock: new Clock(lanes), matrices: new Matrices(payload) };
    this.controls.setChapters(this.race.clock.chapters);
    this.#show(this.race.clock.at(this.moment.seconds));
    this.#say();
  }

  setTheme(theme) {
    this.palette = PALETTES[theme];
    this.family = getComputedStyle(this.root).fontFamily;
    const { fused, ...roles } = this.palette, colours = { ...roles, accent: fused.fill, "on-accent": fused.on };
    for (const role of ["ground", "ink", "muted", "line", "accent", "on-accent"]) this.root.style.setProperty(`--${role}`, colours[role]);
    this.draw();
  }

  play() {
    if (this.moment.seconds >= SECONDS) this.moment = this.race.clock.at(0);
    this.playing = true;
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.#advance(Math.max(0, Math.min(0.1, (now - before) / 1000)) * this.speed);
      before = now;
      this.frame = requestAnimationFrame(tick);
    };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    this.#show(this.moment);
    this.#say();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  /** To a moment in seconds on screen, 0 to 10; playing goes on from there. */
  seek(seconds) {
    this.#show(this.race.clock.at(Math.min(SECONDS, Math.max(0, seconds))));
    if (!this.playing) this.#say();
  }

  /** Over `count` events, backwards when negative: also over those that cost no bytes of the clock. */
  step(count) {
    this.playing = false;
    let { moment } = this;
    for (let i = 0; i < Math.abs(count); i++) moment = this.race.clock.step(moment, Math.sign(count));
    this.#show(moment);
    this.#say();
  }

  /** Draws the moment and returns every text box. */
  draw(canvas = this.canvas) {
    if (!this.moment.views) return [];
    const context = canvas.getContext("2d"), { palette, family } = this;
    context.setTransform(canvas.width / WIDTH, 0, 0, canvas.height / HEIGHT, 0, 0);
    return drawRace(context, this.race, { ...this.moment, speed: this.playing ? this.speed : 0 }, { palette, family });
  }

  boxes() { return this.draw(); }

  savePng() {
    const sheet = Object.assign(document.createElement("canvas"), { width: EXPORT_SCALE * WIDTH, height: EXPORT_SCALE * HEIGHT });
    this.draw(sheet);
    sheet.toBlob((blob) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${this.race.file}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  fullScreen() { if (document.fullscreenElement) document.exitFullscreen(); else this.root.requestFullscreen?.(); }

  /** Leaves the page: the moment is kept for a player to come. */
  remove() {
    this.playing = false;
    remembered.seconds = this.moment.seconds;
    this.sizes.disconnect();
    this.controls.remove();
  }

  #advance(seconds) {
    const said = this.moment, next = this.moment.seconds + seconds;
    if (next >= SECONDS && !this.loop) {
      this.moment = this.race.clock.at(SECONDS);
      return this.pause();
    }
    this.#show(this.race.clock.at(next % SECONDS));
    if (chapterOf(this.race, said) !== chapterOf(this.race, this.moment)) this.#say();
  }

  #show(moment) {
    this.moment = moment;
    this.controls.show(moment.seconds, this.playing);
    this.draw();
  }

  /** For those who do not see the picture: at rest and at each new part of the story, not at every frame. */
  #say() {
    const words = describe(this.race, this.moment);
    this.canvas.setAttribute("aria-label", words);
    this.root.querySelector(".spoken").textContent = words;
    this.controls.scrubber.setAttribute("aria-valuetext", `${this.moment.seconds.toFixed(1)} of ${SECONDS} seconds`);
  }

  /** As many pixels as the screen has, so that text stays sharp. */
  #fit() {
    const pixels = Math.max(1, Math.round(this.canvas.getBoundingClientRect().width * devicePixelRatio));
    if (this.canvas.width !== pixels) Object.assign(this.canvas, { width: pixels, height: Math.round((pixels * HEIGHT) / WIDTH) });
    this.draw();
    this.controls.spread();
  }
}
