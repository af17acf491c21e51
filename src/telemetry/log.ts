import { writeSync } from 'node:fs';
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
const BUFFER_CHARACTERS = 16_384;
/** Bytes kept for a reader that has stopped reading; further lines are lost. */
const WAITING_BYTES_MAX = 8_388_608;
const URGENT = /^\{"level":"(warn|error|fatal)"/;

export interface LogOutput extends DestinationStream {
  /** For `Logger.flush`: calls back once all is out. A line that is written at the exit would overtake what is not. */
  readonly flush?: (done: () => void) => void;
}

/**
 * Standard output in the form of `LOG_FORMAT`.
 * @param names of users by their pseudonyms, for a terminal
 */
export function openOutput(format: Config['LOG_FORMAT'], names?: ReadonlyMap<string, string>): LogOutput {
  if (format === 'json') return jsonOutput();
  return { write: (line) => void process.stdout.write(prettyLine(line, names)) };
}

/**
 * Opens the log on `destination`, by default standard output, as JSON. Each line names service, version and replica.
 * Lines are buffered for at most half a second; a line of level `warn` or above is written immediately, with all that
 * came before it.
 */
export function openLog(config: Pick<Config, 'LOG_LEVEL'>, destination: LogOutput = jsonOutput()): Log {
  const { flush } = destination;
  const scrubbed: LogOutput = { ...(flush && { flush }), write: (line) => destination.write(scrub(line)) };
  return pino(
    {
      level: config.LOG_LEVEL,
      base: { service: SERVICE, version: VERSION, replica: hostname() },
      timestamp: isoTimes(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    scrubbed,
  );
}

/** ISO 8601, of which only the milliseconds are written for each line: pino's own takes a fifth of the time of a line. */
function isoTimes(): () => string {
  let second = NaN;
  let start = '';
  return () => {
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) start = new Date(now).toISOString().slice(0, -'mmmZ'.length);
    second = now - ms;
    return `,"time":"${start}${String(ms).padStart(3, '0')}Z"`;
  };
}

/** The stream takes buffers, so that what a full pipe did not take is never cut within a character. */
function jsonOutput(): LogOutput {
  const stream = pino.destination({
    dest: STDOUT,
    sync: false,
    contentMode: 'buffer',
    maxLength: WAITING_BYTES_MAX,
  });
  let lines = '';
  let isWriting = false;
  stream.on('drain', () => (isWriting = false));
  const flush = (bytes: Buffer = Buffer.from(lines)): void => {
    lines = '';
    if (bytes.length === 0) return;
    isWriting = true;
    (stream.write as unknown as (bytes: Buffer) => void)(bytes); // pino's types know texts only
  };
  setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.on('exit', () => {
    flush();
    stream.flushSync();
  });
  return {
    flush: (done) => {
      flush();
      if (isWriting) stream.once('drain', done);
      else done();
    },
    write: (line: string) => {
      if (lines.length + line.length > BUFFER_CHARACTERS) flush();
      lines += line;
      if (!URGENT.test(line)) return;
      // While a background write is under way, its reader is slow: waiting for it would hold up every request.
      flush(isWriting ? undefined : writeNow(Buffer.from(lines)));
    },
  };
}

/** Writes synchronously, so that it survives a crash; returns what the output does not accept immediately. */
function writeNow(bytes: Buffer): Buffer {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
  } catch {
    // a full pipe, or a closed one; the background writer handles both
  }
  return rest;
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
