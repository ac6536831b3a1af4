// The API, as the reader of the page. Credentials are in this tab only: in memory, and in sessionStorage so that they
// survive a reload. They are sent to this server and nobody else.

import { limit, within } from './waiting.js';

export const root = new URL('..', document.baseURI);
const place = 'windlass.credentials';

let credentials = read();
let settings;
let identity;
const leavers = new Set();

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(place));
  } catch {
    return null;
  }
}

export const session = {
  get settings() { return settings; },
  get identity() { return identity; },
  get loggedIn() { return Boolean(credentials); },
  // use takes credentials: {header, value}.
  use(given) {
    credentials = given;
    sessionStorage.setItem(place, JSON.stringify(given));
  },
  forget() {
    credentials = null;
    identity = null;
    sessionStorage.removeItem(place);
  },
  async loadSettings() {
    settings = await get('windlass/v1/login');
    return settings;
  },
  async loadIdentity() {
    identity = await get('windlass/v1/identity');
    return identity;
  },
  // onRefused calls back when the credentials are good no longer.
  onRefused(f) { leavers.add(f); },
};

// may tells whether the reader has one of the scopes that a task of an API needs. Without a task: whether they may read.
export function may(task, api = 'vnflcm:v2') {
  const scopes = identity?.scopes || [];
  const all = ['windlass:write', 'windlass:admin', `${api}:all`];
  if (!task) return true;
  return scopes.some((s) => all.includes(s) || s === `${api}:${task}`);
}

// ApiError is an answer that tells what is wrong.
export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.TackerError?.message || problem.title || `The server answers ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}

export function headers(more = {}) {
  const out = { Accept: 'application/json', ...more };
  if (credentials) out[credentials.header] = credentials.value;
  return out;
}

// request sends a request below the API's root, and reads the whole answer within options.limit.
export async function request(path, options = {}) {
  const answer = await reach(options.method, () => within(options.limit || limit, options.signal, async (signal) => {
    const given = await send(path, options, signal);
    return [204, 304].includes(given.status) ? given : new Response(await given.arrayBuffer(), given);
  }));
  return checked(answer);
}

// stream sends a request whose answer has no end. The caller reads it, and ends it by options.signal.
export async function stream(path, options) {
  return checked(await reach('GET', () => send(path, options, options.signal)));
}

function send(path, options, signal) {
  const url = new URL(path, root);
  const more = { ...options.headers };
  if (url.pathname.includes('/vnflcm/v2')) more.Version = '2.0.0';
  if (options.json !== undefined) more['Content-Type'] = 'application/json';
  return fetch(url, {
    method: options.method || 'GET', signal, headers: headers(more), cache: 'no-store', credentials: 'same-origin',
    body: options.json === undefined ? undefined : JSON.stringify(options.json),
  });
}

// reach tells in the page's words that there is no answer.
async function reach(method, ask) {
  try {
    return await ask();
  } catch (cause) {
    if (cause.name === 'AbortError') throw cause;
    const unsure = cause.name === 'TimeoutError' && method && method !== 'GET';
    throw new ApiError(0, {
      detail: `The server ${cause.name === 'TimeoutError' ? 'does not answer' : 'cannot be reached'}. `
        + (unsure ? 'It may still do what you asked for: look before you ask again.' : 'The page tries again by itself.'),
    });
  }
}

async function checked(answer) {
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401) leavers.forEach((f) => f(problem.detail));
  throw new ApiError(answer.status, problem);
}

export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

// all reads a list whole: a server may answer with a page of it and a link to the next one.
export async function all(path, signal) {
  const items = [];
  for (let next = path; next;) {
    const answer = await request(next, { signal });
    items.push(...await answer.json());
    next = /<([^>]*)>; *rel="?next/.exec(answer.headers.get('Link') || '')?.[1];
    // The link may name the server by an address that is not the browser's.
    if (next) next = path + new URL(next, root).search;
  }
  return items;
}

// list reads a page of a list for people, with the number of all items.
export async function list(path, query, signal) {
  const given = Object.entries(query).filter(([, v]) => v !== undefined && v !== '' && v !== false);
  const answer = await request(`${path}?${new URLSearchParams(given)}`, { signal });
  return { items: await answer.json(), total: Number(answer.headers.get('X-Total-Count')) };
}

// post sends a request that does something; it returns the id of what was made, if there is one.
export async function post(path, json) {
  const answer = await request(path, { method: 'POST', json });
  return (answer.headers.get('Location') || '').split('/').pop();
}
