// Texts for people: times, states, names.

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export const moment = (text) => (text ? moments.format(new Date(text)) : '');
export const timeOfDay = (text) => (text ? clock.format(new Date(text)) : '');

// ago is how long something is past, in the largest unit that says enough.
export function ago(text) {
  if (!text) return '';
  const seconds = Math.max(0, (Date.now() - new Date(text)) / 1000);
  if (seconds < 10) return 'just now';
  return `${span(seconds)} ago`;
}

// span is a length of time.
export function span(seconds) {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

export const shortId = (id) => (id || '').slice(0, 8);

const operations = {}; // the API server writes the table of operations here
export const operationName = (name) => operations[name] || name;

// The kinds of states are colours; the words beside them say the same.
const kinds = {
  STARTING: 'run', PROCESSING: 'run', ROLLING_BACK: 'run', RUNNING: 'run', PENDING: 'off',
  COMPLETED: 'good', DONE: 'good', INSTANTIATED: 'good', STARTED: 'good', OK: 'good', REACHABLE: 'good', ENABLED: 'good',
  ONBOARDED: 'good', FAILED_TEMP: 'warn', DRIFTED: 'warn', STOPPED: 'off', CANCELLED: 'warn', UNREACHABLE: 'bad',
  FAILED: 'bad', ROLLED_BACK: 'off', NOT_INSTANTIATED: 'off', UNKNOWN: 'off', DISABLED: 'off', CREATED: 'off',
  UPLOADING: 'run', PROCESSING_PKG: 'run',
};
export const kindOf = (state) => kinds[state] || 'off';

const words = {
  STARTING: 'Starting', PROCESSING: 'Processing', ROLLING_BACK: 'Rolling back', COMPLETED: 'Completed',
  FAILED_TEMP: 'Waits for a decision', FAILED: 'Failed', ROLLED_BACK: 'Rolled back', INSTANTIATED: 'Instantiated',
  NOT_INSTANTIATED: 'Not instantiated', STARTED: 'Started', STOPPED: 'Stopped', PENDING: 'To do', RUNNING: 'Running',
  DONE: 'Done', CANCELLED: 'Cancelled', OK: 'In order', DRIFTED: 'Drifted', UNKNOWN: 'Not checked',
  ONBOARDED: 'On board',
};

// wordFor has a capital at its beginning, as every state.
export function wordFor(state) {
  const plain = (state || '').toLowerCase().replaceAll('_', ' ');
  return words[state] || plain.charAt(0).toUpperCase() + plain.slice(1);
}

export const isOpen = (state) => ['STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK'].includes(state);

export const plural = (n, one, many) => `${n.toLocaleString()} ${n === 1 ? one : many || `${one}s`}`;

// nameOf is how an instance is called: by its name, or the beginning of its id.
export const nameOf = (name, id) => name || shortId(id);

// tries tells how often work that is tried again was tried: "attempt 6 of 10".
export const tries = ({ attempt, attempts }) => `attempt ${attempt}${attempts ? ` of ${attempts}` : ''}`;

// howSlow tells that a step takes much longer than usual.
export function howSlow({ since, usualSeconds }) {
  const taken = span((Date.now() - new Date(since)) / 1000);
  if (usualSeconds === 0) return `No worker has gone on for ${taken}.`;
  return `Slow: ${taken}${usualSeconds ? `, usually ${span(usualSeconds)}` : ''}.`;
}

// whyAgain tells why work is tried again, and when.
export function whyAgain({ nextAttemptAt, error }) {
  const left = nextAttemptAt && (new Date(nextAttemptAt) - Date.now()) / 1000;
  return [left > 0 && `Next try in ${span(Math.ceil(left))}.`, error && `Last error: ${error.detail}`].filter(Boolean).join(' ');
}
