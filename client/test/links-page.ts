/** The script of the page of `links.page.test.ts`: one client with its link. */
import { Bff, type BffOptions } from '../src/client.js';
import { CLIENTS, type Ask, type ClientName } from './clients.js';

/** The options of the page. */
export interface LinksPageOptions extends Pick<BffOptions, 'url' | 'upstreamUrl' | 'hirerId' | 'language'> {
  readonly client: ClientName;
  readonly userToken: string;
}

/** The functions that the tests call. */
export class LinksPage {
  private readonly send: Ask;

  constructor({ client, userToken, ...options }: LinksPageOptions) {
    const scope = 'query:ontologies query:organizations';
    this.send = CLIENTS[client](new Bff({ ...options, scope, getUserToken: () => userToken }));
  }

  /** The name of a root field; of a failure, what the client tells. */
  async ask(field: string, text: string, variables: object): Promise<unknown> {
    try {
      return (await this.send(text, variables))[field]?.name;
    } catch (error) {
      const { name, code, reason, message } = error as Record<string, unknown>;
      return { name, code, reason, message };
    }
  }
}

Object.assign(globalThis, { LinksPage });
