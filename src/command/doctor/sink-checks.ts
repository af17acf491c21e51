import { connect, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { within } from '../../concurrency/within.js';
import { hasTls, isBrokerUrl } from '../../config/values/broker-url.js';
import type { Config } from '../../config/load-config.js';
import { socketHost } from '../../config/values/url-forms.js';
import { guardedLookup, isRefusedLiteral } from '../../http/outgoing/guarded-address.js';
import { proxyOf, tunnelThrough } from '../../http/outgoing/outbound-proxy.js';
import { openBroker, sinkSettings } from '../../webhooks/deliver/sinks/open-sinks.js';
import { sinkAddressRule, type SinkSettings } from '../../webhooks/deliver/sinks/sink.js';
import { fail, ok, warn, type Check, type Result } from './finding.js';

const BROKER_MS = 4_000;
/** TLS 1.3 is open to the client before the server has refused it, for want of a certificate for example. */
const REFUSAL_MS = 500;

/** The sinks: connected to, with TLS where they have it, and sent nothing. */
export function sinkChecks(config: Config): Check[] {
  const sinks = sinkSettings(config);
  const todo = 'check its URL, its certificate, and that this machine can reach it';
  if (sinks.length === 0) {
    return [{ name: 'sink', todo, run: async () => ok('not set: events are stored but not delivered') }];
  }
  return sinks.map((settings) => ({
    name: sinks.length > 1 ? `sink ${settings.name}` : 'sink',
    todo: isBrokerUrl(settings.url) ? `${todo}; docs/events.md says what the broker must have` : todo,
    run: () => tryConnection(settings, proxyOf(settings.url, config)),
  }));
}

async function tryConnection(settings: SinkSettings, proxy: URL | undefined): Promise<Result> {
  const { url, allowPrivate } = settings;
  const rule = sinkAddressRule(url.hostname, allowPrivate);
  if (isRefusedLiteral(url.hostname, rule)) {
    return fail('its address is not allowed', 'set EVENT_SINK_ALLOW_PRIVATE=true if it is yours');
  }
  const lookup = guardedLookup(rule);
  if (proxy && url.protocol === 'https:') return tryTunnel(url, proxy);
  return isBrokerUrl(url) ? tryBroker(settings) : tryHttp(url, lookup);
}

async function tryBroker(settings: SinkSettings): Promise<Result> {
  const sink = await openBroker({ ...settings, timeoutMs: BROKER_MS }, { record: () => undefined });
  try {
    const { seen, isCertain } = await sink.look();
    const text = `accepts connections${hasTls(settings.url) ? ' with TLS' : ''}; ${seen}; nothing was sent`;
    return isCertain ? ok(text) : warn(text, 'allow these credentials to list streams, or check yourself');
  } finally {
    await sink.close();
  }
}

async function tryHttp(url: URL, lookup: LookupFunction): Promise<Result> {
  const isTls = url.protocol === 'https:';
  const host = socketHost(url.hostname);
  const place = { host, port: Number(url.port || (isTls ? 443 : 80)), lookup };
  const socket = isTls
    ? connectTls({ ...place, servername: /^[\d.]+$|:/.test(host) ? '' : host, minVersion: 'TLSv1.2' })
    : connect(place);
  try {
    await opened(socket, isTls ? 'secureConnect' : 'connect');
    if (isTls) await within(REFUSAL_MS, opened(socket.resume(), 'close'));
    return ok(
      isTls
        ? `accepts connections by ${(socket as TLSSocket).getProtocol()}; nothing was sent`
        : 'accepts connections; nothing was sent',
    );
  } finally {
    socket.destroy();
  }
}

function tryTunnel({ hostname, host, port, protocol }: URL, proxy: URL): Promise<Result> {
  const connector = tunnelThrough(proxy, { minVersion: 'TLSv1.2', allowH2: true });
  return new Promise((resolve, reject) => {
    connector({ hostname, host, port, protocol, servername: hostname }, (error, socket) => {
      socket?.destroy();
      if (error) reject(new Error(`no connection through the proxy (${error.message})`));
      else resolve(ok('accepts connections through the proxy; nothing was sent'));
    });
  });
}

function opened(socket: Socket, event: 'connect' | 'secureConnect' | 'close'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`no connection (${error.code ?? error.message})`)),
    );
  });
}
