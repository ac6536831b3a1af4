// The VNF instances, a page of them at a time: the server searches, filters and counts.

import { h, fill } from './dom.js';
import { list } from './api.js';
import { listen } from './events.js';
import { nameOf, operationName, plural } from './format.js';
import { attempt, empty, head, later, oneAtATime, pager, pill, soon, table, time } from './parts.js';

const limit = 50;

export async function showInstances(place, { query, signal }) {
  const asked = {
    search: query.get('search') || '', instantiationState: query.get('state') || '',
    attention: query.get('attention') === 'true', offset: Number(query.get('offset')) || 0,
  };
  const search = h('input', {
    type: 'search', value: asked.search, placeholder: 'Name, product or id', 'aria-label': 'Search instances',
  });
  const state = h('select', { 'aria-label': 'State' },
    [['', 'All states'], ['INSTANTIATED', 'Instantiated'], ['NOT_INSTANTIATED', 'Not instantiated']]
      .map(([value, text]) => h('option', { value, selected: value === asked.instantiationState }, text)));
  const attention = h('input', { type: 'checkbox', checked: asked.attention });
  const results = h('div');
  const count = h('p.count', { 'aria-live': 'polite' });

  const load = oneAtATime(async () => {
    const found = await list('windlass/v1/vnf_instances', { ...asked, limit }, signal);
    fill(count, plural(found.total, 'instance'));
    fill(results, found.items.length ? [rowsOf(found.items), pager({ ...asked, limit, total: found.total }, turn)]
      : nothing(asked));
  });
  const keep = () => {
    const given = Object.entries({
      search: asked.search, state: asked.instantiationState, attention: asked.attention, offset: asked.offset || '',
    }).filter(([, v]) => v);
    history.replaceState(null, '', `#/instances${given.length ? `?${new URLSearchParams(given)}` : ''}`);
  };
  const turn = (offset) => { asked.offset = offset; keep(); attempt(load).then(() => window.scrollTo(0, 0)); };
  const change = () => {
    Object.assign(asked, { search: search.value.trim(), instantiationState: state.value, attention: attention.checked });
    turn(0);
  };
  search.addEventListener('input', later(change, 250));
  state.addEventListener('change', change);
  attention.addEventListener('change', change);

  fill(place, head('Instances', count), h('div.filters', { role: 'search' }, search, state,
    h('label.check', attention, 'Needs attention')), results);
  const again = soon(() => attempt(load), 700);
  signal.addEventListener('abort', listen(({ type }) => { if (['operation', 'drift'].includes(type)) again(); }));
  await load();
}

function nothing(asked) {
  return asked.search || asked.instantiationState || asked.attention
    ? empty('No instance matches.', 'Search for something else, or remove filters.')
    : empty('There is no VNF instance yet.', 'Create one with your NFVO, or with the command "windlass vnf create".');
}

const rowsOf = (items) => table('VNF instances', ['Name', 'Product', 'State', 'Last operation', 'Drift'], items.map((i) => [
  h('a.name', { href: `#/instances/${i.id}`, title: i.vnfInstanceName }, nameOf(i.vnfInstanceName, i.id)),
  h('span', i.vnfProductName, h('span.sub', ` ${i.vnfSoftwareVersion}`)),
  pill(i.vnfState === 'STOPPED' ? 'STOPPED' : i.instantiationState),
  i.lastOperation ? h('a.quiet', { href: `#/operations/${i.lastOperation.id}` },
    h('span.op', operationName(i.lastOperation.operation)), ' ', pill(i.lastOperation.operationState), ' ',
    h('span.sub', time(i.lastOperation.stateEnteredTime))) : h('span.sub', 'None'),
  driftOf(i),
]));

function driftOf({ drift, instantiationState }) {
  if (!drift || instantiationState !== 'INSTANTIATED') return h('span.sub', 'Not checked');
  return drift.findings ? pill('DRIFTED', plural(drift.findings, 'finding')) : pill('OK');
}
