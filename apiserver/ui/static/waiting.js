// The time that the page gives its server to answer, and who is told meanwhile.

// limit is how long an answer may take, in milliseconds. The server itself gives up earlier.
export const limit = 15000;

const soon = 400; // quicker answers need no word about them
const pending = new Set();
const watchers = new Set();
const doubters = new Set();
let waits = false;

// onWaiting calls back with whether the page waits for an answer longer than a moment.
export function onWaiting(callback) { watchers.add(callback); }

// onSilence calls back when an answer has taken too long.
export function onSilence(callback) { doubters.add(callback); }

function tell() {
  const now = [...pending].some((p) => p.long);
  if (now === waits) return;
  waits = now;
  watchers.forEach((f) => f(waits));
}

// within gives ask a signal that ends it after so many milliseconds, or when signal ends it.
export async function within(milliseconds, signal, ask) {
  const time = AbortSignal.timeout(milliseconds);
  const one = {};
  const timer = setTimeout(() => { one.long = true; tell(); }, soon);
  pending.add(one);
  try {
    return await ask(signal ? AbortSignal.any([signal, time]) : time);
  } catch (cause) {
    if (time.aborted && !signal?.aborted) doubters.forEach((f) => f());
    throw cause;
  } finally {
    clearTimeout(timer);
    pending.delete(one);
    tell();
  }
}
