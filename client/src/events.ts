/**
 * The events of the user's hirers as they happen.
 * @packageDocumentation
 */
import { ask } from './ask.js';
import type { Bff } from './bff.js';
import { BffError } from './bff-error.js';

/** The documented types of events; new ones appear over time. */
export type BffEventType =
  | 'CandidateApplicationCreated'
  | 'CandidateProfilePurchased'
  | 'HirerRelationshipChanged'
  | 'PositionNotPosted'
  | 'PositionProfileClosed'
  | 'PositionProfilePosted'
  | 'PositionProfileUpdated'
  | (string & {});

/** A change event of one of the user's hirers. */
export interface BffEvent<Data = Record<string, unknown>> {
  readonly id: string;
  readonly type: BffEventType;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  /** The event as the upstream sent it, `hirerId` included. */
  readonly data: Data;
}

/** How to read the event stream. */
export interface EventsOptions {
  readonly signal?: AbortSignal;
  /** Continue after this event, which an earlier stream gave. */
  readonly lastEventId?: string;
  /**
   * Called when the stream is open. Once an event has arrived, it continues after the last one (`isResumed`), and no
   * event between two connections is lost, unless the user has left the hirer of the last one: the stream then starts
   * at its end. Before the first one there is no place to continue from, so read what is shown again.
   */
  readonly onOpen?: (stream: { readonly isResumed: boolean }) => void;
  /** Called when the stream broke and will be opened again, in `waitMs`. */
  readonly onBreak?: (fault: { readonly error: unknown; readonly waitMs: number }) => void;
}

/** The service sends a comment every 15 seconds; a stream silent for three of them is broken. */
const SILENCE_MS = 45_000;
const WAIT_MS = 1_000;
const WAIT_MS_MAX = 30_000;
/** A stream that has lasted so long was sound: the next pause is a short one again. */
const SOUND_MS = 5_000;

/**
 * The events of the user's hirers as they happen (`GET /events/stream`), until the signal, or the user signs out. Read
 * with `fetch`, since `EventSource` cannot send a token. A stream that breaks or falls silent is opened again after a
 * pause that doubles, and continues after the last event.
 * @throws BffError when the service refuses the user; not for what may pass
 */
export async function* streamEvents(bff: Bff, options: EventsOptions = {}): AsyncGenerator<BffEvent, void> {
  const signal = options.signal ? AbortSignal.any([bff.signal, options.signal]) : bff.signal;
  let { lastEventId } = options;
  let failures = 0;
  while (!signal.aborted) {
    const connection = new AbortController();
    let openedMs = Infinity;
    try {
      const stream = await open(bff, lastEventId, AbortSignal.any([signal, connection.signal]));
      openedMs = performance.now();
      options.onOpen?.({ isResumed: lastEventId !== undefined });
      for await (const event of readEvents(stream)) {
        if (signal.aborted) return;
        lastEventId = event.id;
        yield event;
      }
      throw new BffError('NETWORK_ERROR', 'The stream of events ended.');
    } catch (error) {
      if (signal.aborted) return;
      if (performance.now() - openedMs >= SOUND_MS) failures = 0;
      const waitMs = pauseAfter(error, failures);
      failures += 1;
      options.onBreak?.({ error, waitMs });
      await pause(waitMs, signal);
    } finally {
      connection.abort();
    }
  }
}

/**
 * How long to wait: what the answer says, else twice as long after each failure, somewhere in the upper half so that
 * tabs do not all come back together.
 */
function pauseAfter(error: unknown, failures: number): number {
  if (!(error instanceof BffError)) throw error;
  const mayPass = error.status === 0 || error.status === 429 || error.status >= 500;
  if (!mayPass) throw error;
  const most = Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** failures);
  return Math.max((error.retryAfter ?? 0) * 1000, most * (0.5 + Math.random() / 2));
}

async function open(
  bff: Bff,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENCE_MS);
  };
  const either = AbortSignal.any([signal, silent.signal]);
  either.addEventListener('abort', () => clearTimeout(timer));
  try {
    const { response } = await ask(bff, '/events/stream', {
      method: 'GET',
      headers: {
        Accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      signal: either,
    });
    return response.body!.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          heard();
          controller.enqueue(chunk);
        },
        flush: () => clearTimeout(timer),
      }),
    );
  } catch (error) {
    clearTimeout(timer);
    throw silent.signal.aborted ? new BffError('NETWORK_ERROR', 'The stream of events is silent.') : error;
  }
}

/** Server-sent events, of which the service uses `id` and `data`, each on one line. */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<BffEvent, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunksOf(stream)) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (id !== undefined && data !== undefined) yield { id, ...(JSON.parse(data) as Omit<BffEvent, 'id'>) };
    }
  }
}

/** Not every browser iterates streams yet. Leaving the loop cancels the request. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } catch (error) {
    throw new BffError('NETWORK_ERROR', 'The stream of events broke.', { cause: error });
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
