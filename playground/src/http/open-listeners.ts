import { writeFile } from 'node:fs/promises';
import { Listener, type ListenerParts } from './listener.js';
import type { PlaygroundOptions } from '../playground-options.js';
import type { TlsMaterial } from './certificate.js';

/** The two servers of a playground. */
export interface Listeners {
  readonly upstream: Listener;
  readonly issuer: Listener;
}

/** Opens both, or neither. @throws AggregateError if neither can be opened */
export async function openListeners(
  parts: Omit<ListenerParts, 'name' | 'port'>,
  { port = 3010 }: PlaygroundOptions,
): Promise<Listeners> {
  const opened = await Promise.allSettled([
    Listener.open({ ...parts, name: 'upstream', port }),
    Listener.open({ ...parts, name: 'issuer', port: port === 0 ? 0 : port + 1 }),
  ]);
  const [upstream, issuer] = opened;
  if (upstream.status === 'fulfilled' && issuer.status === 'fulfilled') {
    return { upstream: upstream.value, issuer: issuer.value };
  }
  for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
  const faults = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  throw faults.length === 1 ? faults[0]! : new AggregateError(faults, faults[0]!.message);
}

/** The library that makes certificates is large, and few playgrounds speak TLS. */
export async function openTls(
  host: string,
  nowMs: number,
  certificateFile: string | undefined,
): Promise<TlsMaterial> {
  const { makeTls } = await import('./certificate.js');
  const material = await makeTls(host, nowMs);
  if (certificateFile !== undefined) await writeFile(certificateFile, material.cert);
  return material;
}
