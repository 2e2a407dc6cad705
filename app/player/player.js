// Player: one element with a canvas and its controls. It is made once and kept: new settings are loaded into it, its moment stays.
//
// What it shows is a film, made from a payload by the picture's own `openFilm(payload)`:
//   id, file            payloads of the same id are the same film; the name of a saved frame
//   timeline            films of the same timeline share their moments: another one begins at its opening
//   asks                optional: the question of a film that keeps its answer back; it is the title, and the film opens at its start
//   seconds, chapters   its length on screen, and [{name, seconds}]
//   opening, still      where it opens, and where it stands for those who want no motion
//   plays               whether it starts by itself; otherwise the first play begins at the start
//   at(seconds), step(moment, by)     a moment {seconds, …}, and the next one forwards or backwards
//   draw(context, moment, look)       draws it on 1280×720 and returns every text box; look: {palette, family, speed, code}
//   describe(moment), chapterOf(moment)   the moment in words, and a number that changes when there is something new to say
//   mark(moment), secondsAt(mark)     its place in a link, and back: NaN for a mark that names no moment
//   under(moment, x, y), hasCode, csv()   optional: lines about a point of the sheet; whether it can show the line of code at work; a table
const remembered = (window.tilescopeRemembered ??= new Map()); // {timeline: seconds} where a player stood: coming back does not start over
const FRAME = `<div class="sheet"><canvas role="img"></canvas><div class="note" hidden></div></div>
<div class="controls"></div><div class="spoken" aria-live="polite"></div>`;

class Player {
  /** root: an empty element. options: {theme: "light" | "dark", autoplay, linked: keep the moment in the address}. */
  constructor(root, payload, { theme = "light", autoplay = true, linked = false } = {}) {
    root.innerHTML = FRAME;
    Object.assign(root, { className: "player", tabIndex: 0 });
    const find = (selector) => root.querySelector(selector), address = new Address(linked);
    Object.assign(this, { root, address, canvas: find("canvas"), moment: { seconds: 0 }, playing: false, speed: 1 });
    Object.assign(this, { loop: false, code: false });
    this.stage = new Stage(root, address);
    this.note = new Note(this.canvas, find(".note"), (x, y) => this.film.under?.(this.moment, x, y));
    this.controls = new Controls(root, find(".controls"), this);
    this.setTheme(theme);
    this.load(payload, (film) => this.#begin(film, autoplay));
    this.sizes = new ResizeObserver(() => this.#fit());
    this.sizes.observe(this.canvas);
    document.fonts?.ready.then(() => this.draw());
  }

  /** Other settings: the moment on screen stays where there is such a moment. begin(film): seconds of a first film. */
  load(payload, begin) {
    if (payload.id === this.film?.id) return;
    const before = this.film, film = openFilm(payload), stays = before?.timeline === film.timeline;
    this.film = film;
    this.controls.setFilm(film);
    if (!begin && !stays) this.playing = false;
    this.#show(film.at(begin ? begin(film) : stays ? this.moment.seconds : film.opening));
    if (this.playing) this.#say(); else this.#rest();
  }

  /** It was moved to where it belongs: it plays, unless someone has told it what to do. */
  goOn(payload, theme) {
    this.setTheme(theme);
    this.load(payload);
    if (this.untouched && this.film.plays) this.play();
  }

  setTheme(theme) {
    this.palette = PALETTES[theme];
    this.family = getComputedStyle(this.root).fontFamily;
    const { fused, ...roles } = this.palette, colours = { ...roles, accent: fused.fill, "on-accent": fused.on };
    for (const role of ["ground", "ink", "muted", "line", "accent", "on-accent"]) this.root.style.setProperty(`--${role}`, colours[role]);
    this.draw();
  }

  play() {
    if (this.untouched || this.moment.seconds >= this.film.seconds) this.moment = this.film.at(0);
    Object.assign(this, { playing: true, untouched: false });
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
    this.#rest();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  /** To a moment in seconds on screen; playing goes on from there. */
  seek(seconds) {
    this.untouched = false;
    this.#show(this.film.at(Math.min(this.film.seconds, Math.max(0, seconds))));
    if (!this.playing) this.#rest();
  }

  /** Over `count` steps of the film, backwards when negative. */
  step(count) {
    Object.assign(this, { playing: false, untouched: false });
    let { moment } = this;
    for (let i = 0; i < Math.abs(count); i++) moment = this.film.step(moment, Math.sign(count));
    this.#show(moment);
    this.#rest();
  }

  /** To the next chapter, or with `by` < 0 to the one before. */
  chapter(by) {
    const { seconds } = this.moment, marks = [0, ...this.film.chapters.map((chapter) => chapter.seconds)];
    const to = by > 0 ? marks.find((mark) => mark > seconds + 1e-6) : marks.findLast((mark) => mark < seconds - 1e-6);
    this.playing = false;
    this.seek(to ?? (by > 0 ? this.film.seconds : 0));
  }

  /** Shows or hides the line of code that is at work. */
  toggleCode() {
    this.code = !this.code;
    this.draw();
  }

  /** Draws the moment and returns every text box. */
  draw(canvas = this.canvas) {
    if (!this.film) return [];
    const context = canvas.getContext("2d");
    context.setTransform(canvas.width / WIDTH, 0, 0, canvas.height / HEIGHT, 0, 0);
    return this.film.draw(context, this.moment, this.look);
  }

  /** How a film is drawn now: its colours, its typeface, how fast it runs, and whether with its code. */
  get look() {
    const { palette, family, code } = this;
    return { palette, family, speed: this.playing ? this.speed : 0, code };
  }

  boxes() { return this.draw(); }

  /** Leaves the page: the moment is kept for a player to come. */
  remove() {
    this.playing = false;
    if (!this.untouched) remembered.set(this.film.timeline, this.moment.seconds);
    this.sizes.disconnect();
    this.controls.remove();
    this.stage.remove();
  }

  /** Where a first film begins: at the address's moment, where the last player stood, at the still, or at its opening; then it plays. */
  #begin(film, autoplay) {
    const mark = this.address.get(MOMENT), linked = mark === null ? NaN : film.secondsAt(mark);
    if (linked >= 0 && linked <= film.seconds) return linked;
    if (remembered.has(film.timeline)) return remembered.get(film.timeline);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return film.still;
    this.untouched = true;
    if (autoplay && film.plays) this.play();
    return film.opening;
  }

  #advance(seconds) {
    const { film } = this, said = this.moment, next = this.moment.seconds + seconds;
    if (next >= film.seconds && !this.loop) {
      this.moment = film.at(film.seconds);
      return this.pause();
    }
    this.#show(film.at(next % film.seconds));
    if (film.chapterOf(said) !== film.chapterOf(this.moment)) this.#say();
  }

  #show(moment) {
    this.moment = moment;
    this.controls.show(moment.seconds, this.playing);
    this.draw();
  }

  #rest() {
    this.#say();
    if (!this.untouched) this.address.set(MOMENT, this.film.mark(this.moment));
  }

  /** For those who do not see the picture: at rest and at each new part of the story, not at every frame. */
  #say() {
    const words = this.film.describe(this.moment);
    this.canvas.setAttribute("aria-label", words);
    this.root.querySelector(".spoken").textContent = words;
    this.controls.scrubber.setAttribute("aria-valuetext", `${this.moment.seconds.toFixed(1)} of ${this.film.seconds} seconds`);
  }

  /** As many pixels as the screen has, so that text stays sharp. */
  #fit() {
    const pixels = Math.max(1, Math.round(this.canvas.getBoundingClientRect().width * devicePixelRatio));
    if (this.canvas.width !== pixels) Object.assign(this.canvas, { width: pixels, height: Math.round((pixels * HEIGHT) / WIDTH) });
    this.draw();
    this.controls.spread();
  }
}
