// Save: the menu of files that the browser makes by itself, without a server or a network. A film's files begin at its start and take a
// while: the button then says how far it is, and a press stops it.
const PNG_SCALE = 3; // pixels of a saved frame per px of the sheet
const STOPPED = new Error("stopped");

class Save {
  /** opener: the button; menu: an empty element for the files. */
  constructor(opener, menu, player) {
    Object.assign(this, { opener, menu, player });
    menu.addEventListener("click", ({ target }) => { const item = target.closest("button"); if (item) this.#make(item.dataset.file); });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation(); // the menu's own, not the stage's
      this.open(false);
      opener.focus();
    });
    this.onAway = (event) => { if (![menu, opener].some((own) => event.composedPath().includes(own))) this.open(false); };
    document.addEventListener("pointerdown", this.onAway);
  }

  remove() {
    this.stop();
    document.removeEventListener("pointerdown", this.onAway);
  }

  /** The opener's press: the menu, or an end to what is being made. */
  press() { if (this.making) this.stop(); else this.open(this.menu.hidden); }

  stop() { this.making = null; }

  /** complaint: what has gone wrong, in words. */
  async open(on, complaint = "") {
    const { menu, opener, player: { film } } = this, missing = on && await whyNoMp4(), length = `${film.seconds} s`;
    menu.hidden = !on;
    opener.setAttribute("aria-expanded", on);
    if (!on) return;
    menu.innerHTML = `<output></output>
      ${saveItem("png", `PNG: this moment, ${PNG_SCALE * WIDTH}\u00d7${PNG_SCALE * HEIGHT}`)}
      ${saveItem("gif", `GIF: ${length}, ${WIDTH}\u00d7${HEIGHT}, ${GIF_RATE} frames a second`)}
      ${saveItem("mp4", missing ? `MP4: not here, ${missing}` : `MP4: ${length}, H.264, ${MP4_RATE} frames a second`, missing)}
      ${film.csv ? saveItem("csv", "CSV: every step and its bytes") : ""}`;
    menu.querySelector("output").textContent = complaint;
    menu.querySelector("button").focus();
  }

  async #make(kind) {
    const { player, opener } = this, { film, look } = player, { textContent, title } = opener, making = this.making = {};
    this.open(false);
    opener.focus();
    const step = async (share) => {
      if (this.making !== making) throw STOPPED;
      Object.assign(opener, { textContent: `${kind.toUpperCase()} ${Math.floor(100 * share)} %`, title: "Stop" });
      await breath();
    };
    try {
      download(await FILES[kind](player, film, look, step), `${film.file}.${kind}`);
    } catch (error) {
      if (error !== STOPPED) this.open(true, `No ${kind.toUpperCase()}: ${error.message}`);
    } finally {
      if (this.making === making) this.making = null;
      Object.assign(opener, { textContent, title });
    }
  }
}

const FILES = { // by suffix: from the player, its film, its look and what is awaited before a frame, to a Blob
  png: (player) => {
    const sheet = Object.assign(document.createElement("canvas"), { width: PNG_SCALE * WIDTH, height: PNG_SCALE * HEIGHT });
    player.draw(sheet);
    return new Promise((resolve) => { sheet.toBlob(resolve); });
  },
  gif: (_, film, look, step) => gif(new Reel(film, look, GIF_RATE), inWords(film), step),
  mp4: (_, film, look, step) => h264(new Reel(film, look, MP4_RATE), film.file, inWords(film), step),
  csv: (_, film) => new Blob([film.csv()], { type: "text/csv" }),
};

/** What a film shows in the end, for those who have only the file. */
const inWords = (film) => film.describe(film.at(film.seconds));

const saveItem = (file, words, missing) => `<button type="button" data-file="${file}" ${missing ? "disabled" : ""}>${words}</button>`;

function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
