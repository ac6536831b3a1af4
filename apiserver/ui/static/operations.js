// The operations, the newest first.

import { h, fill } from './dom.js';
import { list } from './api.js';
import { listen } from './events.js';
import { nameOf, operationName, plural, span, howSlow, isOpen, tries, whyAgain } from './format.js';
import { attempt, empty, head, later, oneAtATime, pager, pill, soon, table, time } from './parts.js';

const limit = 50;
const keys = { Operation: 'operation', Instance: 'vnfInstanceName', State: 'operationState', Began: 'startTime' };
const states = ['STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK', 'COMPLETED', 'FAILED', 'ROLLED_BACK'];
const words = {
  STARTING: 'Starting', PROCESSING: 'Processing', FAILED_TEMP: 'Waits for a decision', ROLLING_BACK: 'Rolling back',
  COMPLETED: 'Completed', FAILED: 'Failed', ROLLED_BACK: 'Rolled back',
};

export async function showOperations(place, { query, signal }) {
  const asked = {
    search: query.get('search') || '', operationState: query.get('state') || '', open: query.get('open') === 'true',
    vnfInstanceId: query.get('instance') || '', sort: query.get('sort') || '', offset: Number(query.get('offset')) || 0,
  };
  const search = h('input', {
    type: 'search', value: asked.search, placeholder: 'Name of an instance, or id', 'aria-label': 'Search operations',
  });
  const state = h('select', { 'aria-label': 'State' }, h('option', { value: '' }, 'All states'),
    states.map((value) => h('option', { value, selected: value === asked.operationState }, words[value])));
  const open = h('input', { type: 'checkbox', checked: asked.open });
  const results = h('div');
  const count = h('p.count', { 'aria-live': 'polite' });

  const load = oneAtATime(async () => {
    const found = await list('windlass/v1/vnf_lcm_op_occs', { ...asked, limit }, signal);
    fill(count, plural(found.total, 'operation'));
    fill(results, found.items.length
      ? [operationRows(found.items, false, { keys, order: asked.sort || '-startTime', sort }), pager({ ...asked, limit, total: found.total }, turn)]
      : empty('No operation matches.', ''));
  });
  const keep = () => {
    const given = Object.entries({
      search: asked.search, state: asked.operationState, open: asked.open, instance: asked.vnfInstanceId,
      sort: asked.sort, offset: asked.offset || '',
    }).filter(([, v]) => v);
    history.replaceState(null, '', `#/operations${given.length ? `?${new URLSearchParams(given)}` : ''}`);
  };
  const turn = (offset) => { asked.offset = offset; keep(); attempt(load).then(() => window.scrollTo(0, 0)); };
  const sort = (order) => { asked.sort = order === '-startTime' ? '' : order; turn(0); };
  const change = () => {
    Object.assign(asked, { search: search.value.trim(), operationState: state.value, open: open.checked });
    turn(0);
  };
  search.addEventListener('input', later(change, 250));
  state.addEventListener('change', change);
  open.addEventListener('change', change);

  fill(place, head('Operations', count), h('div.filters', { role: 'search' }, search, state,
    h('label.check', open, 'Under way')), results);
  const again = soon(() => attempt(load), 500);
  const steps = soon(() => attempt(load), 2000); // there are many of them
  signal.addEventListener('abort', listen(({ type, data }) => {
    if (type === 'operation') again();
    else if (tellsOfAStep(type, data)) steps();
  }));
  await load();
}

// tellsOfAStep tells whether an event changes what a list says of an operation's step.
export const tellsOfAStep = (type, data) => type === 'step' && (!data.node || Boolean(data.retry));

// operationRows is a table of operations; of one instance its name is left out.
export function operationRows(items, ofOne, sorted) {
  const columns = ['Operation', 'Instance', 'State', 'Step', 'Began', 'Duration'].filter((c) => !ofOne || c !== 'Instance');
  return table('Operations', columns, items.map((o) => [
    h('a.name', { href: `#/operations/${o.id}` }, operationName(o.operation),
      o.isAutomaticInvocation && h('span.sub', ' automatic')),
    ofOne ? null : h('a.quiet', { href: `#/instances/${o.vnfInstanceId}` }, nameOf(o.vnfInstanceName, o.vnfInstanceId)),
    pill(o.operationState),
    stepOf(o),
    time(o.startTime),
    took(o),
  ].filter((cell) => cell !== null)), sorted);
}

// stepOf is the step under way and why it is tried again, or why the operation has stopped and at which step.
function stepOf({ operationState, step, retry, slow, error }) {
  const at = isOpen(operationState) ? step || '' : '';
  if (error) return h('span.sub.step', { title: error.detail }, at && `${at}: `, error.detail);
  const why = retry ? whyAgain(retry) : '';
  return h('span.sub.step', { title: why }, [at, retry && tries(retry)].filter(Boolean).join(', '),
    slow && h('span.again', howSlow(slow)), why && h('span.again', why));
}

const took = (o) => (isOpen(o.operationState) ? h('span.sub', 'under way')
  : span((new Date(o.stateEnteredTime) - new Date(o.startTime)) / 1000));
