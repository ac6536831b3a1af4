// One VIM: where it is, how it is and why, and which VNFs use it.

import { h, fill } from './dom.js';
import { get, list, request } from './api.js';
import { listen } from './events.js';
import { plural } from './format.js';
import { attempt, facts, id, oneAtATime, pill, soon, table, time } from './parts.js';
import { rowsOf } from './instances.js';

const types = { openstack: 'OpenStack', kubernetes: 'Kubernetes' };
const atOnce = 20;

// ways tell how Windlass logs in, by a member that only that way has. The values of secrets never come from the server.
const ways = [
  ['application_credential_id', 'an application credential'], ['bearer_token', 'a bearer token'],
  ['client_certificate', 'a client certificate'], ['oidc_token_url', 'OpenID Connect'], ['password', 'user and password'],
];

export async function showVim(place, { id: vimId, signal }) {
  const state = h('div.state');
  const wrong = h('div');
  const about = h('section.card');
  const users = h('section');
  const room = h('section');
  const load = oneAtATime(async () => {
    const [{ vim }, found] = await Promise.all([get(`v1.0/vims/${encodeURIComponent(vimId)}`, signal),
      list('windlass/v1/vnf_instances', { vimId, limit: atOnce, sort: 'name' }, signal)]);
    document.title = `${vim.name} · Windlass`;
    fill(place.querySelector('h1'), vim.name);
    fill(state, pill(vim.status));
    fill(wrong, reasons(vim));
    fill(about, facts([
      ['Description', vim.description], ['Type', [types[vim.type] || vim.type, vim.placement_attr?.version].filter(Boolean).join(' ')],
      ['Address', h('code', vim.auth_url)], [vim.type === 'kubernetes' ? 'Namespace' : 'Project', projectOf(vim)],
      ['User', vim.auth_cred?.username], ['Windlass logs in with', ways.find(([member]) => vim.auth_cred?.[member])?.[1]],
      [vim.type === 'kubernetes' ? 'Namespaces there' : 'Regions', vim.placement_attr?.regions?.join(', ')],
      ['Default', vim.is_default && 'For requests that name no VIM'],
      ['Registered', at(vim.created_at)], ['Changed', at(vim.updated_at)], ['Id', id(vim.id)],
    ]));
    fill(users, h('h2', 'VNF instances'), found.total ? rowsOf(found.items) : h('p.sub', 'No VNF instance uses this VIM.'),
      found.total > atOnce && h('p', h('a', { href: `#/instances?vim=${vim.id}` }, `All ${plural(found.total, 'instance')}`)));
  });
  fill(place, h('div.head', h('div', h('p.crumb', h('a', { href: '#/vims' }, 'VIMs')), h('h1')), state), wrong, about, room, users);
  const again = soon(() => attempt(load), 700);
  signal.addEventListener('abort', listen(({ type }) => { if (type === 'operation') again(); }));
  await load();
  showRoom(room, vimId, signal);
}

// showRoom shows how much the VIM lets Windlass use. Nobody waits for it, because the server asks the VIM.
async function showRoom(place, vimId, signal) {
  const quotas = await (await request(`windlass/v1/vims/${encodeURIComponent(vimId)}/quotas`, { signal, limit: 45000 })
    .catch(() => null))?.json();
  if (!quotas?.length) return;
  fill(place, h('h2', 'Quotas'), table('Quotas', ['Resource', 'Used', ''], quotas.map((q) => [
    q.resource, `${q.used ? `${q.used} ` : ''}${q.limit ? `${q.used ? 'of ' : 'limit '}${q.limit}` : 'no limit'}`,
    Number(q.limit) > 0 && q.used !== undefined && h('meter', { min: 0, max: q.limit, high: 0.9 * q.limit, value: Number(q.used), 'aria-label': q.resource }),
  ])));
}

const at = (text) => text && time(`${text.replace(' ', 'T')}Z`);

const projectOf = ({ type, vim_project: project }) => project?.name || (type === 'kubernetes' ? 'default' : '');

// reasons tell why a VIM cannot be used, and what will not work.
const reasons = ({ status, status_reason: why, warnings = [] }) => [
  status === 'UNREACHABLE' && h('div.failure.warn', h('p.title', 'Windlass cannot use this VIM'),
    h('p', why || 'It did not answer when Windlass looked the last time.')),
  warnings.length > 0 && h('div.failure.off', h('p.title', 'Warnings'), h('ul', warnings.map((w) => h('li', w)))),
];
