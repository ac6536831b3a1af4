// The ways to log in are those of the API: a token that somebody has, a user of Keystone, an issuer of OAuth 2.0.

import { h, fill, field } from './dom.js';
import { root, session, request } from './api.js';
import { problem } from './parts.js';

const place = 'windlass.login';

// showLogin shows the ways to log in; enter goes on once one of them has worked.
export function showLogin(main, enter, why) {
  document.title = 'Log in · Windlass';
  const { settings } = session;
  const wrong = h('div', why && problem(new Error(why)));
  // attempt uses what log brings; credentials that the API does not take are forgotten again.
  const attempt = async (form, log) => {
    const go = form.querySelector('button[type=submit]');
    go.disabled = true;
    fill(wrong);
    try {
      session.use(await log());
      await enter();
    } catch (error) {
      session.forget();
      fill(wrong, problem(error));
      go.disabled = false;
    }
  };
  const ways = [
    settings.authorization && issuer(settings, wrong),
    settings.authorizationError && h('section', problem(new Error(settings.authorizationError))),
    settings.passwords && password(attempt),
    Object.keys(settings.tokens).length > 0 && token(settings.tokens, attempt),
  ].filter(Boolean);
  fill(main, h('div.login',
    h('div.login-head', h('img', { src: new URL('icon.svg', import.meta.url), alt: '', width: 44, height: 44 }), h('h1', 'Log in to Windlass')),
    wrong,
    ways.length ? ways : h('p', 'This server accepts client certificates only: install one in your browser and load the page again.')));
  main.querySelector('input, button')?.focus();
}

function submit(form, attempt, log) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(form, log);
  });
  return form;
}

function password(attempt) {
  const input = (name, more) => h('input', { name, autocomplete: 'off', required: true, ...more });
  const user = input('username', { autocomplete: 'username' });
  const secret = input('password', { type: 'password', autocomplete: 'current-password' });
  const project = input('project');
  const domain = input('domain', { value: 'Default' });
  const form = h('form.card', h('h2', 'With your account in OpenStack'),
    field('User', user), field('Password', secret), field('Project', project), field('Domain', domain),
    h('button.primary', { type: 'submit' }, 'Log in'));
  return submit(form, attempt, async () => (await request('windlass/v1/login/password', {
    method: 'POST',
    json: {
      username: user.value, password: secret.value, userDomain: domain.value, project: project.value,
      projectDomain: domain.value,
    },
  })).json());
}

function token(ways, attempt) {
  const input = h('textarea', { name: 'token', rows: 3, required: true, spellcheck: 'false', autocomplete: 'off' });
  const names = { oauth2: 'OAuth 2.0', keystone: 'Keystone' };
  const choice = h('select', { name: 'way' },
    Object.keys(ways).map((way) => h('option', { value: way }, names[way] || way)));
  const form = h('form.card', h('h2', 'With a token'),
    Object.keys(ways).length > 1 && field('Kind of token', choice),
    field('Token', input, 'The page keeps the token in this tab only, and forgets it when you close the tab.'),
    h('button.primary', { type: 'submit' }, 'Log in'));
  return submit(form, attempt, async () => {
    const header = ways[choice.value];
    const value = input.value.trim();
    return { header, value: header === 'Authorization' ? `Bearer ${value}` : value };
  });
}

function issuer(settings, wrong) {
  const go = h('button.primary.wide', {
    type: 'button',
    onclick: () => leaveForIssuer(settings.authorization).catch((error) => fill(wrong, problem(error))),
  }, 'Log in at your organisation');
  return h('section.card', h('h2', 'With your organisation'), go);
}

// leaveForIssuer goes to the issuer; a verifier that only this tab knows makes its code useless to others (RFC 7636).
async function leaveForIssuer(authorization) {
  if (!crypto.subtle) throw new Error('Login at your organisation works only over https: open this page with an https address.');
  const verifier = encoded(crypto.getRandomValues(new Uint8Array(48)));
  const state = encoded(crypto.getRandomValues(new Uint8Array(24)));
  const challenge = encoded(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
  sessionStorage.setItem(place, JSON.stringify({ verifier, state, hash: location.hash }));
  const url = new URL(authorization);
  url.searchParams.set('state', state);
  url.searchParams.set('code_challenge', challenge);
  location.assign(url);
}

const encoded = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

// returnFromIssuer ends a login at the issuer, if this is one; it returns what is wrong with it.
export async function returnFromIssuer() {
  const query = new URLSearchParams(location.search);
  if (!query.has('state')) return '';
  const begun = JSON.parse(sessionStorage.getItem(place) || '{}');
  sessionStorage.removeItem(place);
  history.replaceState(null, '', new URL(`ui/${begun.hash || ''}`, root));
  if (!begun.state || begun.state !== query.get('state')) return 'This login did not begin in this tab. Log in again.';
  if (!query.has('code')) return query.get('error_description') || 'The issuer has refused the login.';
  try {
    session.use(await (await request('windlass/v1/login/code', {
      method: 'POST',
      json: { code: query.get('code'), verifier: begun.verifier, redirectUri: new URL('ui/', root).href },
    })).json());
  } catch (error) {
    return error.message;
  }
  return '';
}
