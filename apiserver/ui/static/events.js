// What happens to operations and what checks for drift find, as it happens: one stream for the whole page. It goes on
// after the last event that was seen when the connection was lost. (EventSource cannot send credentials in a header.)

import { session, stream } from './api.js';
import { limit, onSilence } from './waiting.js';

// silence is how long a connection may be without a byte, in milliseconds: the server sends a comment every 15 s. A
// connection to a server that has stopped, or behind a broken network, does not end by itself.
const silence = 35000;

const listeners = new Set();
const watchers = new Set();
let running;
let connection; // ends the connection that stands, and nothing else
let last = '';
let state = 'off';

// listen calls back with {type, data} until the returned function is called.
export function listen(callback) {
  listeners.add(callback);
  return () => listeners.delete(callback);
}

// watch tells whether the stream stands: 'live', 'lost' or 'off'.
export function watch(callback) {
  watchers.add(callback);
  callback(state);
}

function tell(now) {
  state = now;
  watchers.forEach((f) => f(now));
}

export function start() {
  if (running) return;
  running = new AbortController();
  follow(running.signal);
}

export function stop() {
  running?.abort();
  running = null;
  last = '';
  tell('off');
}

async function follow(signal) {
  let wait = 500;
  while (!signal.aborted) {
    try {
      await connect(signal, () => { wait = 500; });
    } catch (cause) {
      if (signal.aborted || cause.status === 401) return;
    }
    if (signal.aborted || (session.settings.asked && !session.identity)) return;
    tell('lost');
    await new Promise((resolve) => { setTimeout(resolve, wait); });
    wait = Math.min(wait * 2, 15000);
  }
}

// connect reads the stream until it ends, or until it is silent for too long.
async function connect(signal, opened) {
  connection = new AbortController();
  const own = connection;
  let timer = setTimeout(() => own.abort(), limit);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => own.abort(), silence);
  };
  try {
    const answer = await stream('windlass/v1/events', {
      signal: AbortSignal.any([signal, own.signal]),
      headers: { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) },
    });
    tell('live');
    opened();
    heard();
    await read(answer.body.getReader(), heard);
  } finally {
    clearTimeout(timer);
  }
}

// An answer that does not come makes the connection doubtful, too: a new one tells.
onSilence(() => connection?.abort());

async function read(reader, heard) {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop();
    blocks.forEach(take);
  }
}

function take(block) {
  const event = { type: '', data: '' };
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) last = line.slice(4);
    else if (line.startsWith('event: ')) event.type = line.slice(7);
    else if (line.startsWith('data: ')) event.data += line.slice(6);
  }
  if (!event.type) return;
  const data = JSON.parse(event.data);
  listeners.forEach((f) => f({ type: event.type, data }));
}
