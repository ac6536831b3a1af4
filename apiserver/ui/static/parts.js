// Parts that several pages show.

import { h, fill, notice } from './dom.js';
import { session } from './api.js';
import { kindOf, moment, ago, wordFor } from './format.js';

// pill shows a state by its colour and in words.
export const pill = (state, word) => h(`span.pill.${kindOf(state)}`, { title: state }, word || wordFor(state));

// inTemporal links to the list of Temporal's Web UI that a query finds; nothing where no Web UI is known.
export const inTemporal = (query, text) => session.settings.temporal && h('a', {
  href: `${session.settings.temporal}/workflows?query=${encodeURIComponent(query)}`, rel: 'noreferrer', target: '_blank',
}, text);

export const time = (text) => (text ? h('time', { datetime: text, title: moment(text) }, ago(text)) : '');

export const id = (text) => h('code.id', { title: text }, text);

// head is the top of a page: where it is, its name, and what can be done.
export const head = (title, ...more) => h('div.head', h('h1', title), ...more);

export const button = (text, onclick, kind = '') =>
  h(`button${kind && `.${kind}`}`, { type: 'button', onclick }, text);

// facts is a list of names and values; those without a value are left out.
export const facts = (pairs) => h('dl.facts', pairs.filter(([, v]) => ![undefined, null, false, ''].includes(v))
  .map(([name, value]) => h('div', h('dt', name), h('dd', value))));

export const empty = (title, text) => h('div.empty', h('p.title', title), text && h('p', text));

export const problem = (error) => h('div.problem', { role: 'alert' },
  h('p', error.message),
  error.problem?.problems && h('ul', error.problem.problems.map((p) => h('li', h('code', p.path), ' ', p.detail))),
  meaning(error.problem?.type));

// meaning leads to what errors of that type mean.
export const meaning = (type) => type?.startsWith('/docs/') && h('p.sub',
  h('a', { href: type, target: '_blank' }, 'What such errors mean'));

// table is a table whose cells carry their column's name, for narrow screens. With sorted, a click on the head of a column
// sorts by it: sorted has the keys of the columns, the present order, and what to do with another one.
export function table(label, columns, rows, sorted) {
  return h('div.scroll', h('table', { 'aria-label': label },
    h('thead', h('tr', columns.map((c) => (sorted ? sortHead(c, sorted) : h('th', { scope: 'col' }, c))))),
    h('tbody', rows.map((cells) => h('tr', cells.map((cell, i) => h('td', { 'data-column': columns[i] }, cell)))))));
}

function sortHead(column, { keys, order, sort }) {
  const key = keys[column];
  if (!key) return h('th', { scope: 'col' }, column);
  const now = order === key ? 'ascending' : order === `-${key}` ? 'descending' : undefined;
  return h('th', { scope: 'col', 'aria-sort': now },
    h('button.sort', { type: 'button', onclick: () => sort(now === 'ascending' ? `-${key}` : key) }, column,
      h('span', { 'aria-hidden': 'true' }, { ascending: ' ↑', descending: ' ↓' }[now] || '')));
}

// pager turns the pages of a list.
export function pager({ offset, limit, total }, go) {
  if (total <= limit && offset === 0) return '';
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const turn = (text, to, off) => h('button', { type: 'button', disabled: off, onclick: () => go(to) }, text);
  return h('nav.pager', { 'aria-label': 'Pages' },
    turn('First', 0, offset === 0), turn('Previous', Math.max(0, offset - limit), offset === 0),
    h('span', `${Math.min(offset + 1, total).toLocaleString()} to ${Math.min(offset + limit, total).toLocaleString()} of `
      + total.toLocaleString()),
    turn('Next', offset + limit, offset + limit >= total), turn('Last', last, offset >= last));
}

// dialog opens a dialog; content gets a function that closes it. Escape closes it, too.
export function dialog(title, content) {
  const box = h('dialog', { 'aria-label': title });
  const close = () => { box.close(); };
  box.addEventListener('close', () => box.remove());
  fill(box, h('div.dialog-head', h('h2', title),
    h('button.plain', { type: 'button', 'aria-label': 'Close', onclick: close }, '×')), content(close));
  document.body.append(box);
  box.showModal();
  return box;
}

// confirm asks before something is done, and tells what came of it.
export function confirm({ title, text, verb, kind = 'primary', fields, act }) {
  dialog(title, (close) => {
    const wrong = h('div');
    const go = h(`button.${kind}`, { type: 'submit' }, verb);
    const form = h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        go.disabled = true;
        try {
          await act();
          close();
        } catch (error) {
          fill(wrong, problem(error));
          go.disabled = false;
        }
      },
    }, [].concat(text).map((t) => h('p', t)), fields, wrong,
    h('div.actions', button('Do nothing', close), go));
    return form;
  });
}

// attempt does something and tells when it fails.
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    if (error.name !== 'AbortError') notice(error.message, 'bad');
    return undefined;
  }
}

// oneAtATime runs load; calls during it make it run once more afterwards: an older answer never follows a newer one.
export function oneAtATime(load) {
  let running;
  let more;
  const run = async () => {
    try {
      while (more) {
        more = false;
        await load();
      }
    } finally {
      running = null;
    }
  };
  return () => {
    more = true;
    running ||= run();
    return running;
  };
}

// later calls f once, a moment after the last of several calls.
export function later(f, milliseconds) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), milliseconds);
  };
}

// soon calls f once, a moment after the first of several calls: those that follow without end do not put it off.
export function soon(f, milliseconds) {
  let timer;
  return () => {
    timer ||= setTimeout(() => {
      timer = 0;
      f();
    }, milliseconds);
  };
}
