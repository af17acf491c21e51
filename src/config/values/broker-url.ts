import { isDecodable, isLoopbackHost } from './url-forms.js';

/** A scheme of NATS or RabbitMQ, without the colon. The first of each pair is plain, the second has TLS. */
export const BROKER_SCHEMES = ['nats', 'tls', 'amqp', 'amqps'] as const;

const PLAIN = { 'nats:': 'tls', 'amqp:': 'amqps' } as const;
const DEFAULT_NAME = 'events';
/** Subjects of NATS have no wildcard in it; `$` begins those of the server itself. */
const PREFIX = /^(?=.{1,100}$)[\w-]+(\.[\w-]+)*$/;
/** Names of RabbitMQ are as long; `amq.` begins those of the server itself. */
const EXCHANGE = /^(?!amq\.)[\w.:-]{1,127}$/;

/** True if events go to a broker by this URL. */
export function isBrokerUrl({ protocol }: URL): boolean {
  return BROKER_SCHEMES.some((scheme) => protocol === `${scheme}:`);
}

/** True if a broker is NATS; RabbitMQ otherwise. */
export function isNats({ protocol }: URL): boolean {
  return protocol === 'nats:' || protocol === 'tls:';
}

/** True if a broker is reached with TLS. */
export function hasTls({ protocol }: URL): boolean {
  return protocol === 'tls:' || protocol === 'amqps:';
}

/** The prefix of the subjects of events: the path of the URL. */
export function subjectPrefix({ pathname }: URL): string {
  return pathname.slice(1) || DEFAULT_NAME;
}

/** The exchange to which events are published. */
export function exchangeOf({ searchParams }: URL): string {
  return searchParams.get('exchange') ?? DEFAULT_NAME;
}

/** The virtual host: the path of the URL (RabbitMQ URI specification). */
export function virtualHostOf({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(1)) || '/';
}

/** The fault of a broker's URL; undefined if it has none, or is not a broker's. */
export function brokerUrlFault(url: URL): string | undefined {
  if (!isBrokerUrl(url)) return undefined;
  const { hostname, protocol, hash, username, password, pathname } = url;
  if (hostname === '' || hash !== '') return 'must name a host, and have no fragment';
  if (protocol in PLAIN && !isLoopbackHost(hostname)) {
    const tls = PLAIN[protocol as keyof typeof PLAIN];
    return `must be ${tls}: plain ${protocol.slice(0, -1)} is accepted for a loopback host only`;
  }
  if (![username, password, pathname].every(isDecodable)) return 'holds malformed percent-encoding';
  return isNats(url) ? natsFault(url) : rabbitMqFault(url);
}

function natsFault(url: URL): string | undefined {
  if (url.search !== '') return 'must not hold a query';
  return PREFIX.test(subjectPrefix(url))
    ? undefined
    : 'must have a path of words separated by dots, 100 characters at most: subjects begin with it';
}

function rabbitMqFault(url: URL): string | undefined {
  const isKnown = [...url.searchParams.keys()].every((name) => name === 'exchange');
  return isKnown && url.searchParams.size <= 1 && EXCHANGE.test(exchangeOf(url))
    ? undefined
    : 'must hold no query but exchange=, the name of an exchange of your own';
}
