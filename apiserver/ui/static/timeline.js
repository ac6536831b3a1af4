// The steps of an operation as they happen: one row a step, the nodes and what they print within.

import { h, fill, setText } from './dom.js';
import { request } from './api.js';
import { howSlow, kindOf, plural, span, timeOfDay, tries, whyAgain, wordFor } from './format.js';
import { oneAtATime, soon } from './parts.js';

const mostLines = 1500;
const rank = (state) => ({ PENDING: 0, RUNNING: 1 })[state] ?? 2;
const keyOf = (s) => `${s.phase}/${s.index}`;

export class Timeline {
  constructor(path, signal) {
    this.path = path;
    this.signal = signal;
    this.rows = new Map();
    this.list = h('ol.timeline');
    this.end = h('span');
    this.note = h('p.sub');
    this.scale = h('div.scale', { 'aria-hidden': 'true' }, h('span', '0'), this.end);
    this.element = h('div', this.scale, this.list, this.note);
  }

  // begin shows what is known of all steps; rows that are there stay as they are, open ones open.
  begin(operation, steps) {
    this.operation = operation;
    steps.forEach((s) => this.put(s));
    this.tick();
  }

  // take is one step that has changed, or one node's part of it.
  take(step) {
    this.put(step);
    this.tick();
  }

  put(step) {
    let row = this.rows.get(keyOf(step));
    if (!row) {
      row = new Row(this, step);
      this.rows.set(keyOf(step), row);
      this.arrange();
    }
    row.put(step);
  }

  // arrange has forward steps in their order, then what undoes them, the last one first.
  arrange() {
    const order = (r) => (r.phase === 'FORWARD' ? r.index : 1e6 - r.index);
    fill(this.list, [...this.rows.values()].sort((a, b) => order(a) - order(b)).map((r) => r.element));
  }

  output(data) {
    this.rows.get(keyOf(data))?.printed(data);
  }

  // tick moves the bars. They share one axis, which has only the time in which steps ran: beside the wait for a decision
  // they would be dots.
  tick() {
    const axis = new Axis([...this.rows.values()].map((row) => row.times(Date.now())).filter(Boolean));
    this.rows.forEach((row) => row.draw(axis));
    this.scale.hidden = axis.length < 1;
    setText(this.end, span(axis.length / 1000));
    setText(this.note, axis.idle < 1000 ? '' : `The bars leave out ${span(axis.idle / 1000)} in which no step ran.`);
  }

  // tells tells whether the banner of the operation has that error.
  tells(error) { return (this.operation?.error?.detail || '').includes(core(error)); }

  // ended tells whether no more forward steps will begin.
  get ended() { return !['STARTING', 'PROCESSING', 'FAILED_TEMP'].includes(this.operation?.operationState); }
}

// core is an error's text without the full stop: in another error it is the middle of a sentence.
const core = (error) => error.detail.replace(/\.$/, '');

// untold leaves out errors that another one has in its own text.
const untold = (list) => list.filter((s, i) => !list.some((other, j) => i !== j && other.error.detail.includes(core(s.error))
  && (other.error.detail !== s.error.detail || j < i)));

// Axis has the time that spans of time cover, without the gaps between them.
class Axis {
  constructor(spans) {
    this.parts = [];
    this.length = 0;
    [...spans].sort((a, b) => a[0] - b[0]).forEach(([from, to]) => {
      const last = this.parts.at(-1);
      const begin = last ? Math.max(from, last.to) : from;
      if (to <= begin && last) return;
      this.parts.push({ from: begin, to, at: this.length });
      this.length += to - begin;
    });
    this.idle = this.parts.length ? this.parts.at(-1).to - this.parts[0].from - this.length : 0;
  }

  // share is the place of a moment on the axis, in percent.
  share(moment) {
    const part = this.parts.findLast((p) => p.from <= moment);
    if (!part) return 0;
    return ((part.at + Math.min(moment, part.to) - part.from) / Math.max(1, this.length)) * 100;
  }
}

class Row {
  constructor(timeline, { index, phase }) {
    Object.assign(this, { timeline, index, phase, nodes: new Map(), whole: {}, node: '' });
    this.title = h('span.step-title');
    this.word = h('span.pill');
    this.line = h('span.last-line');
    this.took = h('span.took');
    this.bar = h('span.span');
    this.parts = h('div.nodes', { role: 'group', 'aria-label': 'Nodes' });
    this.more = h('div.step-more');
    this.text = h('pre.output', { tabindex: 0, 'aria-label': 'Output' });
    this.details = h('details', { ontoggle: () => this.toggled() },
      h('summary', h('span.dot', { 'aria-hidden': 'true' }), h('span.step-head', this.title, this.line), h('span.track', { 'aria-hidden': 'true' }, this.bar),
        this.took, this.word),
      h('div.step-body', this.more, this.parts, this.text));
    this.element = h('li', this.details);
    this.load = oneAtATime(() => this.read());
    this.reload = soon(() => this.load(), 250);
  }

  put(step) {
    const former = step.node ? this.nodes.get(step.node) : this.whole;
    if (former?.state && (step.attempt < former.attempt || (step.attempt === former.attempt && rank(step.state) < rank(former.state)))) return;
    const now = { ...former, error: undefined, endedAt: undefined, retry: undefined, ...step };
    if (step.node) this.nodes.set(step.node, now);
    else this.whole = now;
    this.show();
  }

  show() {
    const { whole } = this;
    const state = whole.state || 'PENDING';
    const tried = this.tried();
    setText(this.title, whole.title || [...this.nodes.values()][0]?.title || '');
    this.element.className = kindOf(state);
    this.word.className = `pill ${kindOf(state)}`;
    const word = state === 'PENDING' && this.timeline.ended ? 'Not run' : wordFor(state);
    setText(this.word, word + (tried ? `, ${tries(tried)}` : whole.attempt > 1 ? `, attempt ${whole.attempt}` : ''));
    this.showLine();
    if (this.details.open) this.showMore();
  }

  // tried tells of the work of the step that is tried again: of the whole step, or of the node with the most attempts.
  tried() {
    if (this.whole.state !== 'RUNNING') return null;
    const on = [...this.nodes.values()].filter((n) => n.retry);
    const most = on.map((n) => n.retry).sort((a, b) => b.attempt - a.attempt)[0];
    return this.whole.retry || (most && { ...most, nodes: on.length });
  }

  // showLine shows why the step is tried again, or its error, or the last line of its output.
  showLine() {
    const { whole } = this;
    const tried = this.tried();
    const error = whole.error || [...this.nodes.values()].find((n) => n.error && !n.retry)?.error;
    const newest = [whole, ...this.nodes.values()].filter((s) => s.lastOutputLine)
      .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))[0];
    const printed = whole.state === 'RUNNING' ? newest?.lastOutputLine || '' : '';
    // The banner of an operation that has stopped has the error in full.
    const told = error && this.timeline.tells(error);
    const slow = whole.slow && whole.state === 'RUNNING' && howSlow({ since: whole.startedAt, usualSeconds: whole.usualSeconds });
    const again = tried && `${tried.nodes ? `On ${plural(tried.nodes, 'node')}: ` : ''}${whyAgain(tried)}`;
    setText(this.line, told ? '' : error?.detail || [slow, again].filter(Boolean).join(' ') || printed);
    this.line.className = `last-line${error ? ' bad' : slow || again ? ' warn' : ''}`;
  }

  showMore() {
    const { whole } = this;
    const again = whole.state === 'RUNNING' ? [whole, ...this.nodes.values()].filter((s) => s.retry) : [];
    const errors = untold([whole, ...this.nodes.values()].filter((s) => s.error && !again.includes(s)
      && !this.timeline.tells(s.error)));
    const decisions = [...this.nodes.values()].flatMap((n) => (n.decisions || []).map((d) => ({ ...d, node: n.node })));
    fill(this.more,
      whole.startedAt && h('p.sub', `Began ${timeOfDay(whole.startedAt)}${whole.endedAt ? `, ended ${timeOfDay(whole.endedAt)}` : ''}`),
      whole.final && h('p.final', 'This step removes something permanently.'),
      whole.undo && this.phase === 'FORWARD' && h('p.sub', `In a rollback: ${whole.undo}.`),
      again.map((s) => h('p.step-again', s.node && h('strong', `${s.node}: `), `${tries(s.retry)}. ${whyAgain(s.retry)}`)),
      errors.map((s) => h('p.step-error', s.node && h('strong', `${s.node}: `), s.error.detail)),
      decisions.map((d) => h('p.sub', `${d.node}: ${d.detail}`)));
    const chip = (name, state, label, word = wordFor(state)) => h(`button.chip.${kindOf(state)}`, {
      type: 'button', 'aria-pressed': String(this.node === name), title: word,
      onclick: () => { this.node = name; this.showMore(); this.load(); },
    }, h('span.dot', { 'aria-hidden': 'true' }), label, h('span.sub', ` ${word}`));
    const chipOf = (n) => (again.includes(n) ? chip(n.node, 'FAILED_TEMP', n.node, `Tried again, ${tries(n.retry)}`)
      : chip(n.node, n.state, n.node));
    const focus = this.parts.contains(document.activeElement) ? [...this.parts.children].indexOf(document.activeElement) : -1;
    fill(this.parts, this.nodes.size > 0 && [chip('', whole.state, 'All nodes'),
      [...this.nodes.values()].sort((a, b) => (a.node < b.node ? -1 : 1)).map(chipOf)]);
    this.parts.children[focus]?.focus();
  }

  // times are when the step began and ended; nothing if it has not begun.
  times(now) {
    const { startedAt, endedAt } = this.whole;
    return startedAt && [+new Date(startedAt), Math.max(+new Date(startedAt), endedAt ? +new Date(endedAt) : now)];
  }

  draw(axis) {
    const times = this.times(Date.now());
    this.bar.hidden = !times;
    setText(this.took, times ? span((times[1] - times[0]) / 1000) : '');
    if (!times) return;
    const [from, to] = times.map((t) => axis.share(t));
    this.bar.style.setProperty('margin-inline-start', `${Math.min(99, from)}%`);
    this.bar.style.setProperty('inline-size', `${Math.max(1, to - from)}%`);
    if (this.tried()) this.showLine();
  }

  printed({ node, lastOutputLine }) {
    if (!node) this.whole.lastOutputLine = lastOutputLine;
    else if (this.nodes.has(node)) this.nodes.get(node).lastOutputLine = lastOutputLine;
    this.showLine();
    if (this.details.open) this.reload();
  }

  toggled() {
    if (!this.details.open) return;
    this.showMore();
    this.load();
  }

  async read() {
    const query = new URLSearchParams({ phase: this.phase, ...(this.node && { node: this.node }) });
    const atEnd = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 20;
    try {
      const answer = await request(`${this.timeline.path}/steps/${this.index}/output?${query}`,
        { signal: this.timeline.signal, headers: { Accept: 'text/plain' } });
      const lines = (await answer.text()).trimEnd().split('\n');
      const shown = lines.slice(-mostLines).join('\n');
      setText(this.text, lines.length > mostLines ? `The last ${mostLines} of ${lines.length} lines:\n${shown}` : shown || 'Nothing was printed.');
    } catch (error) {
      if (error.name === 'AbortError') return;
      setText(this.text, error.message);
    }
    if (atEnd) this.text.scrollTop = this.text.scrollHeight;
  }
}
