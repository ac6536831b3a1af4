// VNF packages and VIMs: lists that are read whole, and shown a page at a time.

import { h, fill } from './dom.js';
import { all, get, may } from './api.js';
import { plural } from './format.js';
import { attempt, button, empty, head, id, later, pager, pill, table, time } from './parts.js';

const limit = 50;

export async function showPackages(place, { signal }) {
  searchable(place, {
    title: 'Packages', noun: 'package', items: await all('vnfpkgm/v1/vnf_packages', signal),
    placeholder: 'Product, provider or id',
    wordsOf: (p) => [p.vnfProductName, p.vnfProvider, p.vnfSoftwareVersion, p.vnfdId, p.id],
    columns: {
      Product: (p) => p.vnfProductName, Provider: (p) => p.vnfProvider, Version: (p) => p.vnfSoftwareVersion,
      State: (p) => p.onboardingState + p.operationalState, Use: (p) => p.usageState, VNFD: (p) => p.vnfdId,
    },
    row: (p) => [
      h('span.name', p.vnfProductName || 'Not on board yet'), p.vnfProvider || '', p.vnfSoftwareVersion || '',
      h('span', pill(p.onboardingState), ' ', p.onboardingState === 'ONBOARDED' && pill(p.operationalState)),
      h('span.sub', p.usageState === 'IN_USE' ? 'In use' : 'Not in use'), p.vnfdId ? id(p.vnfdId) : '',
    ],
    none: empty('There is no package yet.', 'On-board one with the command "windlass package create FILE".'),
  });
}

export async function showVims(place, { signal }) {
  const { vims } = await get('v1.0/vims', signal);
  searchable(place, {
    title: 'VIMs', noun: 'VIM', items: vims, placeholder: 'Name, type or address',
    wordsOf: (v) => [v.name, v.type, v.auth_url, v.id],
    columns: {
      Name: (v) => v.name, Type: (v) => v.type, State: (v) => v.status, Address: (v) => v.auth_url, Registered: (v) => v.created_at,
    },
    row: (v) => [
      h('span', h('a.name', { href: `#/vims/${v.id}`, title: v.name }, v.name), v.is_default && h('span.tag', 'default')), v.type,
      h('span', pill(v.status), v.status_reason && h('span.sub.step', { title: v.status_reason }, v.status_reason)),
      h('code', v.auth_url), time(`${v.created_at.replace(' ', 'T')}Z`),
    ],
    none: empty('There is no VIM yet.', may('create', 'vim:v1') ? 'Register one with the button above.'
      : 'Register one with the command "windlass vim register".'),
    actions: may('create', 'vim:v1') && button('Register a VIM…',
      () => attempt(async () => (await import('./register.js')).registerVim()), 'primary'),
  });
}

// searchable shows a list with a search, a page at a time. A click on the head of a column sorts by it.
function searchable(place, { title, noun, items, placeholder, wordsOf, columns, row, none, actions }) {
  const search = h('input', { type: 'search', placeholder, 'aria-label': `Search ${title}` });
  const count = h('p.count', { 'aria-live': 'polite' });
  const results = h('div');
  const names = Object.keys(columns);
  let order = '';
  const show = (offset) => {
    const wanted = search.value.trim().toLowerCase();
    const found = sorted(items.filter((item) => wordsOf(item).join(' ').toLowerCase().includes(wanted)), columns, order);
    fill(count, plural(found.length, noun));
    fill(results, found.length ? [
      table(title, names, found.slice(offset, offset + limit).map(row),
        { keys: Object.fromEntries(names.map((n) => [n, n])), order, sort: (to) => { order = to; show(0); } }),
      pager({ offset, limit, total: found.length }, (to) => { show(to); window.scrollTo(0, 0); }),
    ] : items.length ? empty(`No ${noun} matches.`, 'Search for something else.') : none);
  };
  search.addEventListener('input', later(() => show(0), 250));
  fill(place, head(title, count), actions && h('div.actions.top', actions),
    items.length > 10 && h('div.filters', { role: 'search' }, search), results);
  show(0);
}

const collator = new Intl.Collator(undefined, { numeric: true });

// sorted is a list in the order of a column, reversed after a -; without an order it stays as the server has it.
function sorted(list, columns, order) {
  const of = columns[order.replace(/^-/, '')];
  if (!of) return list;
  const sign = order.startsWith('-') ? -1 : 1;
  return [...list].sort((a, b) => sign * collator.compare(of(a) || '', of(b) || ''));
}
