// The page: who is logged in, what is shown, and where to go.

import { h, fill, forgetNotices, icon } from './dom.js';
import { session } from './api.js';
import * as events from './events.js';
import { onWaiting } from './waiting.js';
import { empty, inTemporal, problem } from './parts.js';
import { showLogin, returnFromIssuer } from './login.js';
import { showInstances } from './instances.js';
import { showInstance } from './instance.js';
import { showOperations } from './operations.js';
import { showOperation } from './operation.js';

const main = document.getElementById('main');
const bar = document.getElementById('bar');
const live = h('span.live');
let leave; // ends what the page that is shown has begun
let failed; // a page that could not be shown is tried again when the server is there again

// lazy loads a page when somebody opens it: the first one that people see must not wait for it.
const lazy = (load, name) => async (...args) => (await load())[name](...args);
const catalog = () => import('./catalog.js');
const records = () => import('./records.js');

const pages = [
  ['instances', 'Instances', showInstances, showInstance],
  ['operations', 'Operations', showOperations, showOperation],
  ['packages', 'Packages', lazy(catalog, 'showPackages')],
  ['vims', 'VIMs', lazy(catalog, 'showVims'), lazy(() => import('./vim.js'), 'showVim')],
];
// They are in the menu, because few readers need them.
const inMenu = [
  ['notifications', 'Notifications', lazy(records, 'showNotifications')], ['audit', 'Audit', lazy(records, 'showAudit')],
];

// where takes a place in the page apart: #/instances/ID?search=x.
function where() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, id] = path.split('/');
  return { name, id: id && decodeURIComponent(id), query: new URLSearchParams(query) };
}

async function show() {
  if (session.settings.asked && !session.identity) return;
  const { name, id, query } = where();
  if (!name) {
    location.replace('#/instances');
    return;
  }
  const page = [...pages, ...inMenu].find(([key]) => key === name) || [name, 'Not found', showNothing];
  leave?.abort();
  leave = new AbortController();
  failed = false;
  showBar(name);
  const { signal } = leave;
  const place = h('div.page');
  const view = id ? page[3] : page[2];
  document.title = `${page[1]} · Windlass`;
  try {
    await (view || page[2])(place, { id, query, signal });
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted) return;
    leave.abort(); // there is nothing that events could change
    failed = true;
    fill(main, fill(place, problem(error)));
    return;
  }
  if (signal.aborted) return;
  fill(main, place);
  if (document.activeElement === document.body) main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

// showNothing says that an address leads nowhere: another page in its place would be taken for it.
async function showNothing(place) {
  fill(place, h('div.head', h('h1', 'There is no such page')),
    empty(`This server has no page ${location.hash}.`, h('a', { href: '#/instances' }, 'VNF instances')));
}

function showBar(current) {
  fill(bar, h('div.bar',
    h('a.brand', { href: '#/instances' }, h('img', { src: new URL('icon.svg', import.meta.url), alt: '', width: 26, height: 26 }), 'Windlass'),
    h('nav', { 'aria-label': 'Pages' }, pages.map(([key, title]) => h('a', {
      href: `#/${key}`, 'aria-current': key === current && 'page',
    }, title))),
    h('div.who', live, more())));
}

events.watch((state) => {
  live.className = `live ${state}`;
  live.textContent = { live: 'Live', lost: 'Connecting', off: '' }[state];
  live.title = { live: 'The page shows changes at once', lost: 'The connection is lost; the page tries again', off: '' }[state];
  if (state === 'live' && failed) show();
});

// Who has clicked sees that the server has not answered yet.
onWaiting((waits) => {
  document.getElementById('waiting').hidden = !waits;
  main.setAttribute('aria-busy', String(waits));
});

// more is the menu of the reader: who they are, other places, and the way out.
function more() {
  const { settings, identity } = session;
  return h('details.menu',
    h('summary', { 'aria-label': 'Your account and links' }, icon('M4 7h16M4 12h16M4 17h16')),
    h('div',
      identity && h('p.me', h('strong', identity.client), h('span', `Project ${identity.projectId}`)),
      inMenu.map(([key, title]) => h('a', { href: `#/${key}` }, title)),
      h('a', { href: '../docs' }, 'Documentation'),
      settings.temporal && h('a', { href: settings.temporal, rel: 'noreferrer' }, 'Temporal'),
      inTemporal('OperationState = "FAILED_TEMP"', 'Temporal: operations that wait for a decision'),
      inTemporal('OperationState IN ("ROLLED_BACK", "FAILED")', 'Temporal: operations that were rolled back or failed'),
      inTemporal('ExecutionStatus = "Running" AND LcmOperation IS NOT NULL', 'Temporal: operations that have not ended'),
      settings.version && h('p.hint', `Windlass ${settings.version}`),
      session.loggedIn && h('button', { type: 'button', onclick: () => leaveSession() }, 'Log out')));
}

function leaveSession(why) {
  leave?.abort();
  events.stop();
  session.forget();
  bar.replaceChildren();
  document.querySelectorAll('dialog').forEach((d) => d.close());
  showLogin(main, enter, why);
}

// enter begins with what the reader may see.
async function enter() {
  await session.loadIdentity();
  events.start();
  await show();
}

async function begin() {
  try {
    await session.loadSettings();
    session.onRefused((why) => { if (session.identity) leaveSession(why); });
    const problemOfLogin = await returnFromIssuer();
    if (problemOfLogin) {
      showLogin(main, enter, problemOfLogin);
      return;
    }
    await enter();
  } catch (error) {
    if (error.status === 401 || error.status === 400) showLogin(main, enter, session.loggedIn ? error.message : '');
    else fill(main, h('div.page', problem(error)));
    if (error.status === 0) setTimeout(begin, 3000);
  }
}

window.addEventListener('hashchange', () => {
  document.querySelectorAll('details.menu[open]').forEach((d) => d.removeAttribute('open'));
  forgetNotices();
  show();
});
begin();
