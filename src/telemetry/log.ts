import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config/load-config.js';
import { identify, type IdentitySettings } from './service-identity.js';

/** The structured log. Fields first, then a short constant sentence. */
export type Log = Logger;

/** Injection token of the {@link Log}. */
export const LOG = Symbol('LOG');

const STDOUT = 1;
const FLUSH_INTERVAL_MS = 500;
const BUFFER_CHARACTERS = 16_384;
/** What a pipe takes from one process without a part of another's between (PIPE_BUF of Linux). */
const SHARED_PIPE_BYTES = 4_096;
/** Where pino keeps the stream it writes to. */
const STREAM: typeof pino.symbols.streamSym = pino.symbols.streamSym;
/** Where pino keeps the members of every line, serialised once, each after a comma. */
const COMMON: typeof pino.symbols.chindingsSym = pino.symbols.chindingsSym;
const COMMON_MEMBERS = 'service,version,replica';
const URGENT = /^\{"level":"(warn|error|fatal)"/;

/**
 * Standard output in the form of `LOG_FORMAT`. Loads pino-pretty only where that asks for it.
 * @param worker number of this process, if several write to the same output
 */
export async function openOutput(format: Config['LOG_FORMAT'], worker?: number): Promise<DestinationStream> {
  if (format === 'json') return jsonOutput(worker === undefined ? BUFFER_CHARACTERS : SHARED_PIPE_BYTES);
  const { default: pretty } = await import('pino-pretty');
  return pretty({ sync: true, ignore: COMMON_MEMBERS, translateTime: 'HH:MM:ss' });
}

/**
 * Opens the log on `destination`, by default standard output, as JSON. Each line names service, version and replica. Lines are buffered
 * for at most half a second; a line of level `warn` or above is written immediately, with all that came before it.
 * @param worker number of this process, if there are several; each line has it
 */
export function openLog(
  config: Pick<Config, 'LOG_LEVEL'> & IdentitySettings,
  destination = jsonOutput(),
  worker?: number,
): Log {
  const scrubbed: DestinationStream = { write: (line) => destination.write(scrub(line)) };
  return pino(
    {
      level: config.LOG_LEVEL,
      base: { ...identify(config), ...(worker !== undefined && { worker }) },
      timestamp: () => `,"time":"${isoTime(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    scrubbed,
  );
}

/**
 * Writes one line of level `info` as the log itself would, at a third of the cost: for the line of each request.
 * @param time at which it happened, epoch milliseconds
 * @param members JSON members without the braces, at least one
 * @param message needs no escape in JSON
 */
export function writeInfo(log: Log, time: number, members: string, message: string): void {
  if (!log.isLevelEnabled('info')) return;
  const { [STREAM]: stream, [COMMON]: common } = log as unknown as LogInternals;
  stream.write(`{"level":"info","time":"${isoTime(time)}"${common},${members},"msg":"${message}"}\n`);
}

interface LogInternals {
  readonly [STREAM]: DestinationStream;
  readonly [COMMON]: string;
}

const latest = { time: NaN, iso: '' };

/** Requests that end together share the millisecond. */
function isoTime(time: number): string {
  if (time !== latest.time) Object.assign(latest, { time, iso: new Date(time).toISOString() });
  return latest.iso;
}

/** @param pieceMax most characters that are written at once, a line that is longer by itself aside */
function jsonOutput(pieceMax = BUFFER_CHARACTERS): DestinationStream {
  const stream = pino.destination({ dest: STDOUT, sync: false, maxWrite: pieceMax });
  let lines = '';
  let isWriting = false;
  stream.on('drain', () => (isWriting = false));
  const flush = (): void => {
    if (lines === '') return;
    isWriting = true;
    stream.write(lines);
    lines = '';
  };
  setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.on('exit', () => {
    flush();
    stream.flushSync();
  });
  return {
    write: (line: string) => {
      if (lines.length + line.length > pieceMax) flush();
      lines += line;
      const isUrgent = URGENT.test(line);
      // While a background write is under way, its reader is slow: waiting for it would hold up every request.
      if (isUrgent && !isWriting) lines = writeNow(lines);
      if (isUrgent) flush();
    },
  };
}

/** Writes the text synchronously, so that it survives a crash; returns what the output does not accept immediately. */
function writeNow(text: string): string {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
  } catch {
    // a full pipe, or a closed one; the background writer handles both
  }
  return rest.toString();
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
