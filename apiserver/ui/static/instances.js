// The VNF instances, a page of them at a time: the server searches, filters and counts.

import { h, fill } from './dom.js';
import { all, get, list } from './api.js';
import { listen } from './events.js';
import { nameOf, operationName, plural } from './format.js';
import { attempt, empty, head, later, oneAtATime, pager, pill, soon, table, time } from './parts.js';

const limit = 50;
const keys = { Name: 'name', Product: 'product', State: 'state', 'Last operation': 'lastOperation', Drift: 'drift' };

export async function showInstances(place, { query, signal }) {
  const asked = {
    search: query.get('search') || '', instantiationState: query.get('state') || '',
    attention: query.get('attention') === 'true', vimId: query.get('vim') || '', vnfProductName: query.get('product') || '',
    metadata: query.get('metadata') || '', sort: query.get('sort') || 'name', offset: Number(query.get('offset')) || 0,
  };
  const search = h('input', {
    type: 'search', value: asked.search, placeholder: 'Name, product or id', 'aria-label': 'Search instances',
  });
  const state = h('select', { 'aria-label': 'State' },
    [['', 'All states'], ['INSTANTIATED', 'Instantiated'], ['NOT_INSTANTIATED', 'Not instantiated']]
      .map(([value, text]) => h('option', { value, selected: value === asked.instantiationState }, text)));
  const product = choice('Product', 'All products', asked.vnfProductName);
  const vim = choice('VIM', 'All VIMs', asked.vimId);
  const metadata = h('input.short', {
    type: 'search', value: asked.metadata, placeholder: 'Metadata: a=b', 'aria-label': 'Metadata, as key=value',
  });
  const attention = h('input', { type: 'checkbox', checked: asked.attention });
  const results = h('div');
  const count = h('p.count', { 'aria-live': 'polite' });

  const load = oneAtATime(async () => {
    const found = await list('windlass/v1/vnf_instances', { ...asked, limit }, signal);
    fill(count, plural(found.total, 'instance'));
    fill(results, found.items.length ? [rowsOf(found.items, asked.sort, sort), pager({ ...asked, limit, total: found.total }, turn)]
      : nothing(asked));
  });
  const keep = () => {
    const given = Object.entries({
      search: asked.search, state: asked.instantiationState, attention: asked.attention, vim: asked.vimId,
      product: asked.vnfProductName, metadata: asked.metadata, sort: asked.sort === 'name' ? '' : asked.sort, offset: asked.offset || '',
    }).filter(([, v]) => v);
    history.replaceState(null, '', `#/instances${given.length ? `?${new URLSearchParams(given)}` : ''}`);
  };
  const turn = (offset) => { asked.offset = offset; keep(); attempt(load).then(() => window.scrollTo(0, 0)); };
  const sort = (order) => { asked.sort = order; turn(0); };
  const change = () => {
    Object.assign(asked, {
      search: search.value.trim(), instantiationState: state.value, attention: attention.checked, vimId: vim.value,
      vnfProductName: product.value, metadata: /^[^=]+=/.test(metadata.value.trim()) ? metadata.value.trim() : '',
    });
    turn(0);
  };
  [search, metadata].forEach((s) => s.addEventListener('input', later(change, 250)));
  [state, product, vim].forEach((s) => s.addEventListener('change', change));
  attention.addEventListener('change', change);

  fill(place, head('Instances', count), h('div.filters', { role: 'search' }, search, state, product, vim, metadata,
    h('label.check', attention, 'Needs attention')), results);
  const again = soon(() => attempt(load), 700);
  signal.addEventListener('abort', listen(({ type }) => { if (['operation', 'drift'].includes(type)) again(); }));
  await load();
  offer(product, vim, signal);
}

// choice is a filter. It offers nothing but the present value until offer has read the others.
const choice = (label, whole, value) => h('select', { 'aria-label': label },
  h('option', { value: '' }, whole), value && h('option', { value, selected: true }, value));

// offer reads what there is to choose from, after the list: nobody waits for it. A reader may not be allowed to.
async function offer(product, vim, signal) {
  const [packages, { vims }] = await Promise.all([
    all('vnfpkgm/v1/vnf_packages', signal).catch(() => []), get('v1.0/vims', signal).catch(() => ({ vims: [] })),
  ]);
  const products = [...new Set(packages.map((p) => p.vnfProductName).filter(Boolean))].sort();
  options(product, products.map((p) => [p, p]));
  options(vim, vims.map((v) => [v.id, v.name]));
}

function options(select, pairs) {
  const { value } = select;
  const kept = value && !pairs.some(([v]) => v === value) ? [[value, value]] : [];
  fill(select, select.options[0], [...pairs, ...kept].map(([v, text]) => h('option', { value: v, selected: v === value }, text)));
}

function nothing(asked) {
  return asked.search || asked.instantiationState || asked.attention || asked.vimId || asked.vnfProductName || asked.metadata
    ? empty('No instance matches.', 'Search for something else, or remove filters.')
    : empty('There is no VNF instance yet.', 'Create one with your NFVO, or with the command "windlass vnf create".');
}

// rowsOf is a table of instances. With sort, a click on the head of a column sorts by it.
export const rowsOf = (items, order, sort) => table('VNF instances', Object.keys(keys), items.map((i) => [
  h('a.name', { href: `#/instances/${i.id}`, title: i.vnfInstanceName }, nameOf(i.vnfInstanceName, i.id)),
  h('span', i.vnfProductName, h('span.sub', ` ${i.vnfSoftwareVersion}`)),
  pill(i.vnfState === 'STOPPED' ? 'STOPPED' : i.instantiationState),
  i.lastOperation ? h('a.quiet', { href: `#/operations/${i.lastOperation.id}` },
    h('span.op', operationName(i.lastOperation.operation)), ' ', pill(i.lastOperation.operationState), ' ',
    h('span.sub', time(i.lastOperation.stateEnteredTime))) : h('span.sub', 'None'),
  driftOf(i),
]), sort && { keys, order, sort });

function driftOf({ drift, instantiationState }) {
  if (!drift || instantiationState !== 'INSTANTIATED') return h('span.sub', 'Not checked');
  return drift.findings ? pill('DRIFTED', plural(drift.findings, 'finding')) : pill('OK');
}
