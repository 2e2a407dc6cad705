"""Handover: a picture that came with the page itself (app/welcome.py) goes to the component that shows it from then on."""
TAKE_OVER = """
/** What came with the page for the component of this key, now where it belongs; null where there is none. */
function takeOver(key, parent) {
  const early = window.tilescopeWelcome?.[key];
  if (!early) return null;
  delete window.tilescopeWelcome;
  const focused = document.activeElement;
  parent.appendChild(early);
  if (early.contains(focused)) focused.focus({ preventScroll: true });
  document.querySelector("#welcome")?.remove();
  document.body.style.background = "";
  return early;
}
"""
