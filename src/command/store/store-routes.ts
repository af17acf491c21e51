import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { CommandFault } from '../command.js';

/** The routes by which operators work on the store: of the running service, or of a store that nobody uses. */
export abstract class StoreRoutes {
  /** The answer, whatever its status. @throws CommandFault when there is none */
  protected abstract send(path: string, request: RouteRequest): Promise<Response>;

  /**
   * @param body what is sent as JSON
   * @param absence what a 404 means
   * @throws CommandFault with the reason when the answer is no success
   */
  async ask(
    method: RouteRequest['method'],
    path: string,
    body?: object,
    absence?: string,
  ): Promise<Response> {
    const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await this.send(path, { method, ...content });
    if (answer.status === 404 && absence !== undefined) throw new CommandFault(absence);
    if (!answer.ok) throw new CommandFault(await explain(answer));
    return answer;
  }

  /** The body of a successful answer as it comes. @throws CommandFault */
  async read(method: RouteRequest['method'], path: string): Promise<Readable> {
    const { body } = await this.ask(method, path);
    return Readable.fromWeb(body as ReadableStream);
  }

  /** Every item of a list that has pages. */
  async *list<Item>(path: string, query: Readonly<Record<string, string | undefined>>): AsyncGenerator<Item> {
    let after: string | null | undefined;
    do {
      const page = await this.ask('GET', withQuery(path, { ...query, after }));
      const { items, next } = (await page.json()) as { items: Item[]; next: string | null };
      yield* items;
      after = next;
    } while (after !== null);
  }
}

/** A request to a route. */
export interface RouteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A path with those members of a query that have a value. */
export function withQuery(path: string, query: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(query).filter((member): member is [string, string] => member[1] != null);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

async function explain(answer: Response): Promise<string> {
  const problem = (await answer.json().catch(() => ({}))) as {
    detail?: string;
    errors?: { field: string; message: string }[];
  };
  if (answer.status === 401) {
    return 'Refused: the ops token is missing or wrong. Set OPS_TOKEN or OPS_TOKEN_FILE.';
  }
  const faults = (problem.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`);
  return `Refused with status ${answer.status}: ${problem.detail ?? 'no reason given'}${faults.join('')}`;
}
