import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Config } from '../../config/load-config.js';
import { isLoopbackHost } from '../../config/url-forms.js';
import { sinksOf } from '../../webhooks/deliver/open-routes.js';
import { guardedLookup, isRefusedLiteral, type SinkReach } from '../../webhooks/deliver/sink-address.js';
import { fail, ok, type Check, type Result } from './finding.js';

/** The sinks: connected to, with TLS where they have it, and sent nothing. */
export function sinkChecks(config: Config): Check[] {
  const sinks = sinksOf(config);
  const todo = 'check its URL, that this machine may reach it, and its certificate';
  if (sinks.length === 0) {
    return [{ name: 'sink', todo, run: async () => ok('not set: events are stored, and delivered nowhere') }];
  }
  return sinks.map(({ name, url, allowPrivate = config.EVENT_SINK_ALLOW_PRIVATE }) => ({
    name: sinks.length > 1 ? `sink ${name}` : 'sink',
    todo,
    run: () => tryConnection(url, allowPrivate),
  }));
}

async function tryConnection(url: URL, allowPrivate: boolean): Promise<Result> {
  const reach: SinkReach = isLoopbackHost(url.hostname) ? 'loopback' : allowPrivate ? 'private' : 'public';
  if (isRefusedLiteral(url.hostname, reach)) {
    return fail('has an address that is not allowed', 'set EVENT_SINK_ALLOW_PRIVATE=true if it is yours');
  }
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const place = { host, port: Number(url.port || (isTls ? 443 : 80)), lookup: guardedLookup(reach) };
  const socket = isTls
    ? connectTls({ ...place, servername: /^[\d.]+$|:/.test(host) ? '' : host, minVersion: 'TLSv1.2' })
    : connect(place);
  try {
    await opened(socket, isTls ? 'secureConnect' : 'connect');
    return ok(
      isTls
        ? `takes connections by ${(socket as TLSSocket).getProtocol()}; nothing was sent`
        : 'takes connections; nothing was sent',
    );
  } finally {
    socket.destroy();
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`no connection (${error.code ?? error.message})`)),
    );
  });
}
