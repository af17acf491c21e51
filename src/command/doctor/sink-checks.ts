import { once } from 'node:events';
import type { LookupFunction, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { within } from '../../concurrency/within.js';
import { hasTls, isBrokerUrl } from '../../config/values/broker-url.js';
import type { Config } from '../../config/load-config.js';
import { socketHost } from '../../config/values/url-forms.js';
import { causeCode } from '../../errors/cause-code.js';
import { guardedLookup, isRefusedLiteral } from '../../webhooks/deliver/sinks/guarded-address.js';
import { proxyOf, tunnelThrough } from '../../http/outgoing/outbound-proxy.js';
import { openBroker } from '../../webhooks/deliver/sinks/open-sinks.js';
import { sinkAddressRule, sinkSettings, type SinkSettings } from '../../webhooks/deliver/sinks/sink.js';
import { fail, ok, type Check, type Result } from './finding.js';

const CONNECT_MS = 4_000;
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
    const isNever = isRefusedLiteral(url.hostname, sinkAddressRule(url.hostname, true));
    const todo = isNever
      ? 'give it another address: no setting allows this one'
      : 'set EVENT_SINK_ALLOW_PRIVATE=true if it is yours';
    return fail('its address is not allowed', todo);
  }
  return isBrokerUrl(url) ? tryBroker(settings) : tryHttp(url, proxy, guardedLookup(rule));
}

async function tryBroker(settings: SinkSettings): Promise<Result> {
  const sink = await openBroker({ ...settings, timeoutMs: CONNECT_MS });
  try {
    await sink.connect();
    return ok(`accepts connections${hasTls(settings.url) ? ' with TLS' : ''}; nothing was sent`);
  } finally {
    await sink.close();
  }
}

async function tryHttp(url: URL, proxy: URL | undefined, lookup: LookupFunction): Promise<Result> {
  const { hostname, host, port, protocol } = url;
  const tls = { minVersion: 'TLSv1.2', allowH2: true, timeout: CONNECT_MS } as const;
  const connect = proxy ? tunnelThrough(proxy, tls) : buildConnector({ ...tls, lookup });
  const way = proxy ? ' through the proxy' : '';
  const refused = (error: Error): never => {
    throw new Error(`no connection${way} (${causeCode(error) ?? error.message})`);
  };
  const opened = new Promise<Socket>((resolve, reject) => {
    const options = { hostname: socketHost(hostname), host, port, protocol };
    connect(options, (error, socket) => (socket ? resolve(socket) : reject(error)));
  });
  const socket = await opened.catch(refused);
  try {
    const isTls = socket instanceof TLSSocket;
    if (isTls) await within(REFUSAL_MS, once(socket.resume(), 'close').catch(refused));
    return ok(`accepts connections${way}${isTls ? ` by ${socket.getProtocol()}` : ''}; nothing was sent`);
  } finally {
    socket.destroy();
  }
}
