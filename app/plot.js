// Plot: Plotly is told what a figure is now, and changes what differs. The text comes into a page twice, so it defines nothing outside.
const LIBRARY = "ADDRESS"; // beside the pages

/** Plotly, asked for once. */
const library = () => window.tilescopePlotly ??= new Promise((resolve, reject) => {
  const script = document.createElement("script");
  Object.assign(script, { src: new URL(LIBRARY, document.baseURI), onload: () => resolve(window.Plotly), onerror: reject });
  document.head.append(script);
});

/** An empty sheet of the figure's size, so that nothing around it moves when it is drawn. */
function sheetFor({ layout }) {
  const sheet = document.createElement("div");
  Object.assign(sheet, { className: "plot", drawn: Promise.resolve(), shown: {}, traces: [] });
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
  sheet.drawn = sheet.drawn.then(library).then(async (Plotly) => {
    if (sheet.text !== text || !sheet.isConnected) return; // there is a newer one, or nobody looks
    const { data, layout } = shown.figure, known = new Map(sheet.traces);
    sheet.traces = data.map((trace) => [JSON.stringify(trace), trace]).map(([said, trace]) => [said, known.get(said) ?? trace]);
    await Plotly.react(sheet, sheet.traces.map(([, trace]) => trace), layout, shown.config); // the same arrays have not changed
    sheet.style.cssText = `width: ${layout.width}px; height: ${layout.height}px`;
  }, () => { sheet.textContent = "Plotly could not be loaded from this server."; });
}
