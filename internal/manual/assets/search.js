"use strict";
// Finds sections that have every word; those with the words in their headings come first.
const field = document.getElementById("search");
const results = document.getElementById("results");
const root = document.body.dataset.root;

function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter((w) => w.length > 1);
  if (words.length === 0) return [];
  const found = [];
  for (const s of sections) {
    const title = s.title.toLowerCase(), text = s.text.toLowerCase();
    let score = 0;
    for (const w of words) {
      if (title.includes(w)) score += 10;
      else if (text.includes(w)) score += 1;
      else { score = 0; break; }
    }
    if (score > 0) found.push([score, s]);
  }
  return found.sort((a, b) => b[0] - a[0]).slice(0, 20).map(([, s]) => s);
}

function show() {
  const found = find(field.value);
  results.replaceChildren(...found.map((s) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = root + s.page + "#" + s.anchor;
    link.textContent = s.title;
    const where = document.createElement("small");
    where.textContent = s.page.replace(/\.html$/, "");
    item.append(link, " ", where);
    return item;
  }));
  results.hidden = found.length === 0;
}

field.addEventListener("input", show);
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && document.activeElement !== field) { e.preventDefault(); field.focus(); }
  if (e.key === "Escape") { field.value = ""; show(); }
});
