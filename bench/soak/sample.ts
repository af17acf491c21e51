import { readdirSync, readFileSync } from 'node:fs';

/** What a running service holds at one time. */
export interface Sample {
  /** Since the start of the soak. */
  readonly seconds: number;
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
  /** Handles that keep the event loop alive. */
  readonly handles: number;
  /** Open file descriptors, sockets included. */
  readonly descriptors: number;
  /** Events that wait to be delivered. */
  readonly backlog: number;
}

const MEGABYTE = 1_048_576;

/** Reads what a service holds, from its metrics and from /proc: Linux only. */
export async function takeSample(seconds: number, pid: number, opsPort: number): Promise<Sample> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const sum = (name: string, labels = ''): number =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{${labels}[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  const pages = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  return {
    seconds,
    heapMegabytes: sum('nodejs_heap_size_used_bytes') / MEGABYTE,
    residentMegabytes: pages / 1024,
    handles: sum('nodejs_active_resources_total'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    backlog: sum('bff_webhook_backlog', 'state="(?:pending|failed)"'),
  };
}

/** The smallest of each figure in a stretch of samples: for the heap, what is left after a full collection. */
export function floorOf(samples: readonly Sample[]): Sample {
  const keys = Object.keys(samples[0]!) as (keyof Sample)[];
  const least = keys.map((key) => [key, Math.min(...samples.map((sample) => sample[key]))]);
  return Object.fromEntries(least);
}
