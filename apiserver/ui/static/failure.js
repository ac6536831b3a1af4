// Why an operation has stopped: at which step, on which nodes, with which error. The text of the error is here once.

import { h } from './dom.js';
import { operationName } from './format.js';
import { meaning } from './parts.js';

// failedStep is the step that stopped an operation, with its number among all steps and the nodes on which it failed.
export function failedStep(steps) {
  const whole = steps.filter((s) => !s.node);
  const failed = whole.filter((s) => ['FAILED', 'CANCELLED'].includes(s.state));
  // The last one that has ended: a rollback that has stopped comes after the step that it undoes.
  const step = failed.sort((a, b) => (a.endedAt || '').localeCompare(b.endedAt || '')).at(-1);
  if (!step) return null;
  const ofPhase = whole.filter((s) => s.phase === step.phase).map((s) => s.index).sort((a, b) => a - b);
  const nodes = steps.filter((s) => s.node && s.state === 'FAILED' && s.index === step.index && s.phase === step.phase);
  return { ...step, number: ofPhase.indexOf(step.index) + 1, of: ofPhase.length, nodes };
}

// wasCancelled tells whether a person has stopped the operation: then nothing is broken.
export const wasCancelled = (error) => /^The operation was cancelled \(/.test(error?.detail || '');

// failureOf is a banner about an operation that has an error. On the page of an instance a link leads to the operation.
export function failureOf(operation, steps, link) {
  const { error, operationState } = operation;
  const cancelled = wasCancelled(error);
  const waits = operationState === 'FAILED_TEMP';
  const what = link ? `The operation ${operationName(operation.operation)}` : 'The operation';
  const title = waits ? `${what} has ${cancelled ? 'been cancelled' : 'stopped'} and waits for your decision`
    : { ROLLED_BACK: 'It was rolled back because', FAILED: link && `${what} has failed` }[operationState] || 'What went wrong';
  return h(`div.failure.${waits ? 'warn' : 'off'}`,
    h('p.title', title), h('p.failed-step', at(failedStep(steps))), h('p.failed-why', error.detail),
    error.remedy && h('p.failed-remedy', error.remedy),
    !cancelled && error.title && h('p.sub', `Kind: ${error.title}`), !cancelled && meaning(error.type),
    link && h('p.sub', link));
}

function at(step) {
  if (!step) return '';
  const nodes = step.nodes.map((n) => n.node);
  const attempt = Math.max(step.attempt, ...step.nodes.map((n) => n.attempt));
  return [`Step ${step.number} of ${step.of}: ${step.title}`, nodes.length && `on ${nodes.join(', ')}`,
    attempt > 1 && `attempt ${attempt}`].filter(Boolean).join(', ');
}
