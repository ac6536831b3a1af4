// The form that registers a VIM. Its secrets are in fields of type password, or in files that nothing shows. They are
// removed when the request has been sent and when the form closes; they are stored nowhere.

import { h, fill, field, notice } from './dom.js';
import { request } from './api.js';
import { button, dialog, problem } from './parts.js';
import { ways } from './credentials.js';

export function registerVim() {
  const name = text({ required: true });
  const description = text();
  const type = choice(Object.keys(ways).map((t) => [t, ways[t].title]));
  const isDefault = h('input', { type: 'checkbox' });
  const place = h('div');
  let form; // the fields of the chosen type and way
  const choose = () => {
    form?.clear();
    form = fieldsOf(type.value);
    fill(place, form.element);
  };
  type.addEventListener('change', choose);
  choose();
  const box = dialog('Register a VIM', (close) => {
    const outcome = h('div', { 'aria-live': 'polite' });
    const go = h('button.primary', { type: 'submit' }, 'Register');
    return h('form', {
      autocomplete: 'off',
      onsubmit: async (event) => {
        event.preventDefault();
        go.disabled = true;
        fill(outcome, h('p.sub', 'Windlass tries the credentials…'));
        try {
          const vim = await send({
            type: type.value, name: name.value.trim(), description: description.value.trim(), is_default: isDefault.checked,
            ...await form.read(),
          });
          close();
          notice(`The VIM ${vim.name} is registered.`);
          location.hash = `#/vims/${vim.id}`;
        } catch (error) {
          fill(outcome, problem(error), h('p.sub', 'The page has forgotten the secrets: enter them again.'));
        } finally {
          form.clear();
          go.disabled = false;
        }
      },
    }, field('Name', name), field('Description', description), field('Type', type), place,
    h('label.check', isDefault, 'Use it for requests that name no VIM'), outcome,
    h('div.actions', button('Cancel', close), go));
  });
  box.addEventListener('close', () => form.clear());
}

// send registers the VIM. The server tries the credentials first, which takes longer than other answers.
async function send(vim) {
  const answer = await request('v1.0/vims', { method: 'POST', json: { vim }, limit: 45000 });
  return (await answer.json()).vim;
}

const text = (more) => h('input', { autocomplete: 'off', spellcheck: 'false', ...more });

const choice = (pairs) => h('select', pairs.map(([value, title]) => h('option', { value }, title)));

// fieldsOf are the fields of a type of VIMs: an element, what reads them, and what removes the secrets.
function fieldsOf(type) {
  const { methods, common } = ways[type];
  const method = choice(methods.map((m, i) => [i, m.title]));
  const place = h('div');
  const shared = inputs(common);
  let own;
  const choose = () => {
    own?.clear();
    own = inputs(methods[method.value].members);
    const whole = methods[method.value].whole; // it brings the members that all others have in common
    fill(place, own.element, !whole && shared.element);
  };
  method.addEventListener('change', choose);
  choose();
  return {
    element: h('div', field('Log in with', method), place),
    clear: () => { own.clear(); shared.clear(); },
    read: async () => {
      const { whole } = methods[method.value];
      const given = { ...await own.read(), ...(whole ? {} : await shared.read()) };
      return ways[type].body(given);
    },
  };
}

// inputs are fields for members: [name, label, {kind, hint, required, value}].
function inputs(members) {
  const made = members.map(([member, label, how = {}]) => ({ member, label, how, input: inputOf(how) }));
  return {
    element: h('div', made.map(({ label, how, input }) => (how.kind === 'check'
      ? h('div.field', h('label.check', input, label)) : field(label, input, how.hint)))),
    clear: () => made.forEach(({ how, input }) => { if (['secret', 'file'].includes(how.kind)) input.value = ''; }),
    read: async () => {
      const values = await Promise.all(made.map(async ({ member, how, input }) => [member, await valueOf(how, input)]));
      return Object.fromEntries(values.filter(([, v]) => v !== '' && v !== undefined));
    },
  };
}

function inputOf({ kind, required, value }) {
  switch (kind) {
    case 'secret': return text({ type: 'password', required });
    case 'file': return h('input', { type: 'file', required });
    case 'check': return h('input', { type: 'checkbox', checked: value });
    case 'long': return h('textarea', { rows: 4, required, autocomplete: 'off', spellcheck: 'false' });
    default: return text({ required, value });
  }
}

async function valueOf({ kind }, input) {
  switch (kind) {
    case 'file': return input.files[0] ? input.files[0].text() : '';
    case 'check': return input.checked;
    case 'secret': return input.value;
    default: return input.value.trim();
  }
}
