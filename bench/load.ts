import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

/** One request, sent again and again. */
export interface LoadRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A body of its own for each request, in place of `body`. */
  readonly nextBody?: () => string;
  /** Headers that go with the body alone, such as its signature. */
  readonly headersOf?: (body: string) => Readonly<Record<string, string>>;
  /** The status expected; 200 by default. */
  readonly status?: number;
}

/** The resources that a server spent on a run. */
export interface Cost {
  readonly cpuMicrosecondsPerRequest: number;
  readonly requestsPerSecond: number;
}

/**
 * Requests that a process answers before it is measured. V8 compiles the service's hot paths during the first twenty
 * thousand, on threads that count in its processor time; a floor of a few hundred lines is done after four thousand.
 */
export const WARM_UP_REQUESTS = 24_000;

const CLOCK_TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux that Node runs on

/** Processor time of another process so far, in microseconds, from /proc: Linux only. */
export function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND) * 1e6;
}

/** Sends `count` requests over `connections` connections, and returns what process `pid` spent on them. */
export async function measure(
  pid: number,
  request: LoadRequest,
  count: number,
  connections: number,
): Promise<Cost> {
  const pool = new Pool(request.origin, { connections });
  const cpuBefore = cpuMicroseconds(pid);
  const startedAt = performance.now();
  let left = count;
  const sendUntilDone = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { path } = request;
      const body = request.nextBody?.() ?? request.body;
      const headers = { ...request.headers, ...request.headersOf?.(body) };
      const answer = await pool.request({ method: 'POST', path, headers, body });
      if (answer.statusCode === (request.status ?? 200)) await answer.body.dump();
      else throw new Error(`${path} answered ${answer.statusCode}: ${await answer.body.text()}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendUntilDone));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuMicroseconds(pid) - cpuBefore;
  await pool.close();
  return { cpuMicrosecondsPerRequest: cpu / count, requestsPerSecond: count / seconds };
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
