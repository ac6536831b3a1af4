// Who did what, and who is told: the audit, subscriptions, and notifications that could not be delivered.

import { h, fill, notice } from './dom.js';
import { all, get, may, post } from './api.js';
import { nameOf, plural } from './format.js';
import { attempt, button, empty, head, id, pill, table, time } from './parts.js';

const atOnce = 100;

export async function showAudit(place, { query, signal }) {
  const before = Number(query.get('before')) || 0;
  const records = await get(`windlass/v1/audit?limit=${atOnce}${before ? `&before=${before}` : ''}`, signal);
  const more = records.length === atOnce;
  fill(place, head('Audit', h('p.count', 'Requests that changed something, or tried to; the newest first')),
    records.length ? table('Audit', ['Time', 'Client', 'Request', 'Result', 'Made', 'From'], records.map((r) => [
      time(r.timeStamp), r.client || 'Without a name', h('code', `${r.method} ${r.path}`),
      h(`span.pill.${r.status < 400 ? 'good' : 'warn'}`, String(r.status)), madeBy(r.resource), h('code', r.remote),
    ])) : empty('There are no records.', ''),
    h('nav.pager', { 'aria-label': 'Pages' }, before > 0 && h('a.button', { href: '#/audit' }, 'Newest'),
      more && h('a.button', { href: `#/audit?before=${records.at(-1).id}` }, 'Older')));
}

// madeBy links to what the page can show.
function madeBy(resource = '') {
  const [, kind, found] = /\/(vnf_instances|vnf_lcm_op_occs|vims)\/([^/]+)$/.exec(resource) || [];
  const page = { vnf_instances: 'instances', vnf_lcm_op_occs: 'operations', vims: 'vims' }[kind];
  return page ? h('a', { href: `#/${page}/${found}` }, id(found.slice(0, 8))) : h('code', resource);
}

const lists = [['vnflcm/v1', 'VNF lifecycle, v1'], ['vnflcm/v2', 'VNF lifecycle, v2'], ['vnfpkgm/v1', 'Packages']];

export async function showNotifications(place, { signal }) {
  const load = async () => {
    // A reader may be allowed to see one API and not another.
    const [letters, ...subscriptions] = await Promise.all([
      get(`windlass/v1/dead_letters?limit=${atOnce}`, signal).catch(() => []),
      ...lists.map(([path, api]) => all(`${path}/subscriptions`, signal).catch(() => []).then((found) => found.map((s) => ({ ...s, api })))),
    ]);
    const subscribed = subscriptions.flat();
    fill(place, head('Notifications', h('p.count', plural(subscribed.length, 'subscription'))),
      h('section', subscribed.length ? table('Subscriptions', ['Id', 'API', 'Sent to', 'Filter'], subscribed.map((s) => [
        id(s.id), s.api, h('code', s.callbackUri), s.filter ? h('code', JSON.stringify(s.filter)) : h('span.sub', 'Everything'),
      ])) : empty('Nobody has subscribed.', 'An NFVO subscribes with a POST to /vnflcm/v2/subscriptions.')),
      h('section', h('h2', 'Not delivered'), letters.length ? table('Dead letters', ['Time', 'Notification', 'About', 'Attempts', 'Last error', ''],
        letters.map((l) => [time(l.timeStamp), h('span', l.notificationType, ' ', l.operationState && pill(l.operationState)), about(l),
          String(l.attempts), l.lastError, may('redeliver') && button('Deliver again', () => attempt(async () => {
            await post(`windlass/v1/dead_letters/${l.id}/redeliver`);
            notice('Windlass tries to deliver it again.');
            await load();
          }))])) : h('p.sub', 'Every notification has been delivered, or is still being tried.')));
  };
  await load();
}

const about = (l) => (l.vnfLcmOpOccId ? h('a', { href: `#/operations/${l.vnfLcmOpOccId}` }, nameOf('', l.vnfLcmOpOccId))
  : l.vnfInstanceId ? h('a', { href: `#/instances/${l.vnfInstanceId}` }, nameOf('', l.vnfInstanceId)) : l.vnfPkgId ? id(l.vnfPkgId.slice(0, 8)) : '');
