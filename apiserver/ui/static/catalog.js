// VNF packages and VIMs: lists that are read whole, and shown a page at a time.

import { h, fill } from './dom.js';
import { all, get } from './api.js';
import { plural } from './format.js';
import { empty, head, id, later, pager, pill, table, time } from './parts.js';

const limit = 50;

export async function showPackages(place, { signal }) {
  searchable(place, {
    title: 'Packages', noun: 'package', items: await all('vnfpkgm/v1/vnf_packages', signal),
    placeholder: 'Product, provider or id',
    wordsOf: (p) => [p.vnfProductName, p.vnfProvider, p.vnfSoftwareVersion, p.vnfdId, p.id],
    columns: ['Product', 'Provider', 'Version', 'State', 'Use', 'VNFD'],
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
    columns: ['Name', 'Type', 'State', 'Address', 'Registered'],
    row: (v) => [
      h('span', h('span.name', v.name), v.is_default && h('span.tag', 'default')), v.type, pill(v.status),
      h('code', v.auth_url), time(v.created_at),
    ],
    none: empty('There is no VIM yet.', 'Register one with the command "windlass vim register".'),
  });
}

// searchable shows a list with a search, a page at a time.
function searchable(place, { title, noun, items, placeholder, wordsOf, columns, row, none }) {
  const search = h('input', { type: 'search', placeholder, 'aria-label': `Search ${title}` });
  const count = h('p.count', { 'aria-live': 'polite' });
  const results = h('div');
  const show = (offset) => {
    const wanted = search.value.trim().toLowerCase();
    const found = items.filter((item) => wordsOf(item).join(' ').toLowerCase().includes(wanted));
    fill(count, plural(found.length, noun));
    fill(results, found.length ? [
      table(title, columns, found.slice(offset, offset + limit).map(row)),
      pager({ offset, limit, total: found.length }, (to) => { show(to); window.scrollTo(0, 0); }),
    ] : items.length ? empty(`No ${noun} matches.`, 'Search for something else.') : none);
  };
  search.addEventListener('input', later(() => show(0), 250));
  fill(place, head(title, count), items.length > limit && h('div.filters', { role: 'search' }, search), results);
  show(0);
}
