// Address: what a link holds of a player: its moment, and whether it is presented.
const MOMENT = "at", PRESENT = "present";

class Address {
  /** linked: whether there is an address to keep; without one nothing is read or written. */
  constructor(linked) { this.linked = linked; }

  get(name) { return this.linked ? new URLSearchParams(location.search).get(name) : null; }

  /** null takes it out. */
  set(name, value) {
    if (!this.linked) return;
    const address = new URL(location.href);
    if (value === null) address.searchParams.delete(name); else address.searchParams.set(name, value);
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  }
}
