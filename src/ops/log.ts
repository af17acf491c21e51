import { pino, type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/load-config.js';

/** The structured log. Fields first, then a short constant sentence. */
export type Log = Logger;

const FLUSH_INTERVAL_MS = 500;
const BUFFER_CHARACTERS = 4_096;

/**
 * Opens the log on standard output, or on `destination`. Lines are buffered for at most half a second; those of level
 * `error` and above are written at once.
 */
export function openLog(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  destination?: DestinationStream,
): Log {
  const target = destination ?? outputStream(config.LOG_FORMAT);
  const scrubbed: DestinationStream = { write: (line) => target.write(scrub(line)) };
  return pino(
    {
      level: config.LOG_LEVEL,
      base: null,
      timestamp: () => `,"time":"${new Date(writingAsOf ?? Date.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    scrubbed,
  );
}

let writingAsOf: number | undefined;

/** Writes lines that carry an earlier time than now, in epoch milliseconds. */
export function logAsOf(time: number, write: () => void): void {
  writingAsOf = time;
  try {
    write();
  } finally {
    writingAsOf = undefined;
  }
}

function outputStream(format: Config['LOG_FORMAT']): DestinationStream {
  if (format === 'pretty') return pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' });
  const stream = pino.destination({ dest: 1, sync: false });
  let lines = '';
  const flush = (): void => {
    if (lines !== '') stream.write(lines);
    lines = '';
  };
  setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.on('exit', () => {
    flush();
    stream.flushSync();
  });
  return {
    write: (line: string) => {
      lines += line;
      const urgent = line.startsWith('{"level":"error"') || line.startsWith('{"level":"fatal"');
      if (urgent || lines.length >= BUFFER_CHARACTERS) flush();
    },
  };
}

const BEARER_OR_JWT = /Bearer [\w.~+/=-]{8,}|\beyJ[\w-]{5,}\.[\w-]*(\.[\w-]*){0,3}/g;

/** The last line of defence: anything that looks like a token is cut out of a line, wherever it came from. */
export function scrub(line: string): string {
  return line.includes('eyJ') || line.includes('Bearer ')
    ? line.replaceAll(BEARER_OR_JWT, '[redacted]')
    : line;
}

const CAUSES_MAX = 5;

/** An error as the log has it: names, codes, messages and the stack, along its causes; no other property of it. */
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
