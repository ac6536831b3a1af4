// What was asked for when an operation began: by whom, with which parameters, and what it has changed.

import { h, fill } from './dom.js';
import { moment, plural } from './format.js';
import { id } from './parts.js';

const decisions = { retry: 'Retried', rollback: 'Rolled back', fail: 'Failed', cancel: 'Cancelled' };
const changes = { ADDED: 'added', REMOVED: 'removed', MODIFIED: 'changed' };

// askedBy is who has asked for the operation; nothing if the server does not know any more.
export function askedBy(operation, asked = []) {
  if (operation.isAutomaticInvocation) return 'Windlass itself, by the drift policy';
  const first = asked.find((a) => !decisions[a.task]);
  return first ? first.client || 'A client without a name' : '';
}

// affected tells how many VNFCs the operation has added, removed and changed.
export function affected({ resourceChanges }) {
  const all = resourceChanges?.affectedVnfcs || [];
  return Object.entries(changes).map(([type, word]) => {
    const n = all.filter((v) => v.changeType === type).length;
    return n ? `${n} ${word}` : '';
  }).filter(Boolean).join(', ');
}

// asRequested shows the parameters of the request, the decisions about the operation and the VNFCs that it has changed:
// folded, because they are long. What is unfolded stays so. Secrets are not in the API's answer.
export function asRequested(place, operation, asked = []) {
  const open = new Set([...place.querySelectorAll('details[open]')].map((d) => d.dataset.name));
  const fold = (name, title, content) => h('details.fold', { 'data-name': name, open: open.has(name) }, h('summary', title), content);
  const params = operation.operationParams;
  const decided = asked.filter((a) => decisions[a.task]);
  const vnfcs = operation.resourceChanges?.affectedVnfcs || [];
  const folds = [
    params && Object.keys(params).length > 0 && fold('params', 'Parameters of the request',
      h('pre.output', { tabindex: 0, 'aria-label': 'Parameters of the request' }, JSON.stringify(params, null, 2))),
    decided.length > 0 && fold('decided', plural(decided.length, 'decision'), h('ul.plain', decided.map((a) => h('li',
      `${decisions[a.task]} by ${a.client || 'a client without a name'}, ${moment(a.timeStamp)}`, a.status >= 400 && ' (refused)')))),
    vnfcs.length > 0 && fold('vnfcs', `${plural(vnfcs.length, 'VNFC')} that the operation has changed`, h('ul.plain', vnfcs.map((v) => h('li',
      v.vduId, ' ', id(v.computeResource?.resourceId || v.id), h('span.sub', ` ${changes[v.changeType] || v.changeType}`))))),
  ].filter(Boolean);
  fill(place, folds.length > 0 && [h('h2', 'Request and result'), h('div.card', folds)]);
}
