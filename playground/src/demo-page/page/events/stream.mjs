/**
 * An event as the browser receives it.
 * @typedef {{id: string, type: string, timestamp: string, data: Record<string, unknown>}} StreamedEvent
 */

/**
 * Opens the stream of a user's events. Read with `fetch`, as `EventSource` cannot send a token.
 * @param {string} token
 * @param {(event: StreamedEvent) => void} onEvent
 * @returns {Promise<{isOver: boolean, close: () => void}>} over when the user's token expires; rejects if refused
 */
export async function openStream(token, onEvent) {
  const closing = new AbortController();
  const response = await fetch('/events/stream', {
    headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
    signal: closing.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`The stream was refused: ${response.status}`);
  const stream = { isOver: false, close: () => closing.abort() };
  const end = () => void (stream.isOver = true);
  void readEvents(response.body, onEvent).then(end, end); // closed here, or ended by the service
  return stream;
}

async function readEvents(body, onEvent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (text + part.value).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (id !== undefined && data !== undefined) onEvent({ id, ...JSON.parse(data) });
    }
  }
}
