// Stage: the picture only, over the whole page, and over the whole screen where the browser allows it.
const AWAKE = 2000; // ms that the controls stay after the pointer has moved

class Stage {
  /** root: the player's element. */
  constructor(root, address) {
    Object.assign(this, { root, address });
    this.onFullScreen = () => { if (!document.fullscreenElement) this.present(false); };
    document.addEventListener("fullscreenchange", this.onFullScreen);
    root.addEventListener("pointermove", () => this.#wake());
    if (address.get(PRESENT) === "1") this.present(true);
  }

  get presenting() { return this.root.classList.contains("presenting"); }

  present(on = !this.presenting) {
    this.root.classList.toggle("presenting", on);
    if (!on) this.root.classList.remove("blank");
    if (on) this.root.requestFullscreen?.().catch(() => {}); // a link alone may not take the screen
    else if (document.fullscreenElement) document.exitFullscreen();
    this.address.set(PRESENT, on ? "1" : null);
  }

  /** Nothing on screen, until it is asked for again. */
  blank() { this.root.classList.toggle("blank"); }

  remove() {
    clearTimeout(this.sleep);
    document.removeEventListener("fullscreenchange", this.onFullScreen);
  }

  /** While it is presented the controls show only for a moment after the pointer has moved. */
  #wake() {
    this.root.classList.add("awake");
    clearTimeout(this.sleep);
    this.sleep = setTimeout(() => this.root.classList.remove("awake"), AWAKE);
  }
}
