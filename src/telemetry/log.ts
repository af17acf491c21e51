import { hostname } from 'node:os';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config/load-config.js';
import { VERSION } from '../config/version.js';
import { prettyLine } from './pretty-line.js';

/** The structured log. Fields first, then a short constant sentence. */
export type Log = Logger;

/** Injection token of the {@link Log}. */
export const LOG = Symbol('LOG');

/** How the service names itself in log and traces. */
export const SERVICE = 'partner-bff';

const STDOUT = 1;
const FLUSH_INTERVAL_MS = 500;
const BUFFER_BYTES = 8_192;
/** Bytes kept for a reader that has stopped reading; further lines are lost. */
const WAITING_BYTES_MAX = 8_388_608;
const URGENT = /^\{"level":"(warn|error|fatal)"/;

/**
 * Opens the log on `destination`, by default standard output in the form of `LOG_FORMAT`. Each line names service, version
 * and replica.
 */
export function openLog(
  config: Pick<Config, 'LOG_LEVEL'> & Partial<Pick<Config, 'LOG_FORMAT'>>,
  destination: DestinationStream = config.LOG_FORMAT === 'pretty' ? PRETTY_OUTPUT : jsonOutput(),
): Log {
  return pino(
    {
      level: config.LOG_LEVEL,
      base: { service: SERVICE, version: VERSION, replica: hostname() },
      timestamp: timeMember,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      hooks: { streamWrite: scrub },
    },
    destination,
  );
}

const written = { second: NaN, text: '' };

/** As pino's `isoTime`, which is a third of the cost of a line: the date is written once a second. */
function timeMember(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== written.second) {
    Object.assign(written, { second, text: new Date(now).toISOString().slice(0, -4) });
  }
  return `,"time":"${written.text}${String(now % 1_000).padStart(3, '0')}Z"`;
}

const PRETTY_OUTPUT: DestinationStream = { write: (line) => void process.stdout.write(prettyLine(line)) };

/**
 * Lines are buffered for at most half a second; one of level `warn` or above is written at once, with all that came before
 * it. No request waits for a slow reader. The stream takes bytes, as it counts the characters of texts again and again.
 */
function jsonOutput(): DestinationStream & { flush(done: () => void): void } {
  const stream = pino.destination({
    dest: STDOUT,
    sync: false,
    contentMode: 'buffer',
    minLength: BUFFER_BYTES,
    maxLength: WAITING_BYTES_MAX,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  const write = stream.write.bind(stream) as unknown as (bytes: Buffer) => void; // pino's types know texts only
  return {
    flush: (done) => stream.flush(done),
    write: (line) => {
      write(Buffer.from(line));
      if (URGENT.test(line)) stream.flush();
    },
  };
}

/** Matches a whole run of characters and never looks at one twice; whether it is a token is decided afterwards. */
const BEARER_OR_JOSE = /Bearer [\w.~+/=-]{8,}|eyJ[\w.-]*/g;
const JOSE_CHARACTERS_MIN = 9;

/**
 * The last line of defence: removes anything that looks like a token from a line, wherever it came from, even next to
 * an escape (`\\n`) or a letter. Takes time linear in the length of the line.
 */
export function scrub(line: string): string {
  if (!line.includes('eyJ') && !line.includes('Bearer ')) return line;
  return line.replaceAll(BEARER_OR_JOSE, (run) => (isToken(run) ? '[redacted]' : run));
}

/** A JWS or JWE has dots; a word that happens to begin with `eyJ` has none. */
function isToken(run: string): boolean {
  return run.startsWith('Bearer ') || (run.length >= JOSE_CHARACTERS_MIN && run.includes('.'));
}

const CAUSES_MAX = 5;

/** An error as it is logged: name, code and message of it and its causes, and its stack; no other property. */
function describeError(error: unknown): unknown {
  const chain: { name: string; message: string; code?: unknown }[] = [];
  let current = error;
  while (current instanceof Error && chain.length < CAUSES_MAX) {
    const { name, message } = current;
    chain.push({ name, message, ...('code' in current && { code: current.code }) });
    current = current.cause;
  }
  return { chain, stack: error instanceof Error ? error.stack : undefined };
}
