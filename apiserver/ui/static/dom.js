// Elements. What is shown is set as text, never as markup: it may come from strangers.

const svgNames = new Set(['svg', 'path', 'circle', 'g']);

// h makes an element: h('p.note', {title: 'x', onclick: f}, 'text', anotherElement).
export function h(what, ...rest) {
  const [name, ...classes] = what.split('.');
  const element = svgNames.has(name)
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name || 'div');
  if (classes.length) element.setAttribute('class', classes.join(' '));
  const [first] = rest;
  const plain = first && typeof first === 'object' && !(first instanceof Node) && !Array.isArray(first);
  if (plain) set(element, rest.shift());
  element.append(...children(rest));
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

function children(list) {
  return list.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false && c !== '')
    .map((c) => (c instanceof Node ? c : document.createTextNode(String(c))));
}

// fill puts other content into an element.
export function fill(element, ...content) {
  element.replaceChildren(...children(content));
  return element;
}

// refill is fill for what may have the focus: the button of the same text keeps it.
export function refill(element, ...content) {
  const focused = element.contains(document.activeElement) && document.activeElement.textContent;
  fill(element, ...content);
  if (focused) [...element.children].find((c) => c.textContent === focused)?.focus();
}

// setText changes a text only when it is another one: what a person has marked stays marked.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// icon is a small drawing of lines.
export function icon(...paths) {
  return h('svg.icon', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, paths.map((d) => h('path', { d })));
}

let count = 0;

// field is a labelled input.
export function field(label, input, hint) {
  count += 1;
  input.id = `f${count}`;
  return h('div.field', h('label', { for: input.id }, label), input, hint && h('p.hint', hint));
}

const notices = document.getElementById('notices');

// notice tells something in a corner for a while; the same text is there once.
export function notice(text, kind = 'info') {
  const box = h(`p.notice.${kind}`, h('span', text),
    h('button.plain', { type: 'button', 'aria-label': 'Close', onclick: () => box.remove() }, '×'));
  [...notices.children].find((n) => n.firstChild.textContent === text)?.remove();
  notices.append(box);
  setTimeout(() => box.remove(), kind === 'bad' ? 20000 : 6000);
}

// forgetNotices removes what was told about another page.
export function forgetNotices() { notices.replaceChildren(); }
