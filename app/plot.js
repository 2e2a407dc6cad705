// Plot: Plotly is told what a figure is now, and changes what differs. The text comes into a page twice, so it defines nothing outside.
const LIBRARY = "ADDRESS"; // beside the pages

/** Plotly, asked for once, and again where that failed. */
const library = () => window.tilescopePlotly ??= new Promise((resolve, reject) => {
  const script = document.createElement("script");
  script.src = new URL(LIBRARY, document.baseURI);
  script.onload = script.onerror = () => {
    if (window.Plotly) return resolve(window.Plotly);
    window.tilescopePlotly = undefined;
    reject(new Error("Plotly was not sent"));
  };
  document.head.append(script);
});

/** An empty sheet of the figure's size, so that nothing around it moves when it is drawn. */
function sheetFor({ layout }) {
  const sheet = document.createElement("div");
  Object.assign(sheet, { className: "plot", drawn: Promise.resolve(), parts: new Map() });
  sheet.style.cssText = `width: ${layout.width}px; height: ${layout.height}px`;
  return sheet;
}

/** Draws it after what is being drawn. shown: { figure: { data, layout }, config, alt }. */
function tell(sheet, shown) {
  const text = JSON.stringify(shown);
  if (sheet.text === text) return;
  sheet.text = text;
  sheet.setAttribute("role", "figure");
  sheet.ariaLabel = shown.alt;
  const draw = async (Plotly) => {
    if (sheet.text !== text) return; // there is a newer one
    if (!sheet.isConnected) return void (sheet.text = undefined); // nobody looks; who shows it again tells it again
    const { data, layout } = shown.figure, before = sheet.parts;
    sheet.parts = new Map();
    const same = (part) => { // as it was told before, where it says the same: Plotly takes the same arrays for unchanged
      const said = JSON.stringify(part), known = before.get(said) ?? part;
      sheet.parts.set(said, known);
      return known;
    };
    if (!sheet.layout) sheet.replaceChildren(); // what it said while there was no Plotly
    const axes = { xaxis: same(layout.xaxis), yaxis: same(layout.yaxis) };
    if (sheet._fullLayout) Plotly.Fx.loneUnhover(sheet._fullLayout._hoverlayer); // what a ring said where it was
    await Plotly.react(sheet, data.map(same), { ...layout, ...axes }, shown.config);
    sheet.style.cssText = `width: ${layout.width}px; height: ${layout.height}px`;
  };
  sheet.drawn = sheet.drawn.catch(() => {}).then(library).then(draw, () => {
    sheet.textContent = "Plotly could not be loaded from this server.";
    sheet.text = undefined; // the next change tries again
  });
}
