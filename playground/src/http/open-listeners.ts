import { writeFile } from 'node:fs/promises';
import { Listener, type ListenerParts } from './listener.js';
import type { PlaygroundOptions } from '../playground-options.js';
import type { TlsMaterial } from './certificate.js';

/** The two servers of a playground. */
export interface Listeners {
  readonly upstream: Listener;
  readonly issuer: Listener;
}

/** Opens both, or neither. */
export async function openListeners(
  parts: Omit<ListenerParts, 'name' | 'port'>,
  { port = 3010 }: PlaygroundOptions,
): Promise<Listeners> {
  const upstream = await Listener.open({ ...parts, name: 'upstream', port });
  try {
    const issuer = await Listener.open({ ...parts, name: 'issuer', port: port === 0 ? 0 : port + 1 });
    return { upstream, issuer };
  } catch (error) {
    await upstream.close();
    throw error;
  }
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
