import { CommandFault } from '../command.js';

const TIMEOUT_MS = 10_000;
/** The upstream sends an event soon after it happens; our clock may differ from its. */
const EARLIER_MS = 3_600_000;

/** The ops listener of the running service. */
export interface OpsAddress {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
}

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly next: string | null;
}

/** The events that the service has stored, by its ops listener. */
export class ReceivedEvents {
  constructor(private readonly address: OpsAddress) {}

  /**
   * The ids that the service knows among these: of what came since a time, and one by one of what came before.
   * @throws CommandFault when the ops listener gives no answer
   */
  async among(ids: readonly string[], since: string): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const from = new Date(Date.parse(since) - EARLIER_MS).toISOString();
    const recent = new Set<string>();
    let after: string | null = null;
    do {
      const page = await this.page({ since: from, ...(after !== null && { after }) });
      for (const { id } of page.items) recent.add(id);
      after = page.next;
    } while (after !== null);
    const known = new Set(ids.filter((id) => recent.has(id)));
    for (const id of ids) if (!known.has(id) && (await this.has(id))) known.add(id);
    return known;
  }

  private async has(id: string): Promise<boolean> {
    return (await this.page({ id })).items.some((item) => item.id === id);
  }

  private async page(query: Record<string, string>): Promise<Page> {
    const { host, port, token } = this.address;
    const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    const origin = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
    const search = new URLSearchParams({ payload: 'false', ...query });
    const answer = await fetch(`${origin}/events?${search.toString()}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new CommandFault(
        `No answer from ${origin}. Is the service running, and is that its ops listener?`,
      );
    });
    if (answer.ok) return (await answer.json()) as Page;
    throw new CommandFault(`The ops listener answered ${answer.status}. Is OPS_TOKEN that of the service?`);
  }
}
