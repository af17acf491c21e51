import type { IncomingMessage } from 'node:http';

/** A name or an address, with IPv6 in brackets. */
const NAME = String.raw`\[[\da-f:.]+\]|[\da-z._-]+`;
const LISTED = new RegExp(`^(?:${NAME})$`);
const NAME_AND_PORT = new RegExp(`^(${NAME})(?::\\d{1,5})?$`);
const OCTET = String.raw`(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])`;
/** Names that browsers resolve to the machine they run on, and the addresses that they write for it. */
const LOOPBACK = new RegExp(`^(?:(?:[\\da-z_-]+\\.)*localhost|127(?:\\.${OCTET}){3}|\\[::1\\])$`);

/**
 * The hosts that a playground is called by: loopback, and those listed. Every other request is one that a web page sends
 * to a name of its own, which it had resolved to this machine (DNS rebinding).
 */
export class OwnHosts {
  private readonly listed: ReadonlySet<string>;
  private readonly pagePorts = new Set<string>();

  /** @throws RangeError for what is neither a name nor an address without a port */
  constructor(listed: readonly string[]) {
    this.listed = new Set(listed.map((name) => name.toLowerCase()));
    const wrong = [...this.listed].find((name) => !LISTED.test(name));
    if (wrong === undefined) return;
    throw new RangeError(`hosts: ${wrong} is neither a host name nor an address without a port.`);
  }

  /** True if a request says that it is for this machine: by one `Host`, `:authority` or both, and a path. */
  isFor({ rawHeaders, url = '' }: Pick<IncomingMessage, 'rawHeaders' | 'url'>): boolean {
    const seen = new Set<string>();
    for (let place = 0; place < rawHeaders.length; place += 2) {
      const header = rawHeaders[place]!.toLowerCase();
      if (header !== 'host' && header !== ':authority') continue;
      if (seen.has(header) || !this.has(rawHeaders[place + 1]!)) return false;
      seen.add(header);
    }
    return seen.size > 0 && url.startsWith('/');
  }

  /** Lets pages at the port of this address control the playground. */
  openToPagesOf(url: string): void {
    this.pagePorts.add(new URL(url).port);
  }

  /** True for the origin of such pages, by whichever name of this machine they are open. */
  arePages(origin: string | undefined): boolean {
    if (origin === undefined || !URL.canParse(origin)) return false;
    const { host, port } = new URL(origin);
    return this.pagePorts.has(port) && this.has(host);
  }

  private has(host: string): boolean {
    const name = NAME_AND_PORT.exec(host.toLowerCase())?.[1];
    return name !== undefined && (LOOPBACK.test(name) || this.listed.has(name));
  }
}
