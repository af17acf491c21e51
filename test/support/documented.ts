import { readFileSync } from 'node:fs';
import type { Playground } from '../../playground/src/playground.js';
import { anEvent, sendWebhook, signWebhook } from '../webhooks/send-webhook.js';
import { applicationWithFile } from './start-stack.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** An HTTP message as docs/routes.md writes it. */
export interface Message {
  readonly firstLine: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A documented request and the answer it is said to get. */
export interface Exchange {
  readonly request: Message;
  readonly answer: Message;
}

/** The secret of webhooks that the service must be started with. */
export const EXCHANGES_WEBHOOK_SECRET = 'a-secret-of-the-document-test';

/** The hirer in the exchanges. */
export const EXCHANGES_HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';

/** The http blocks of docs/routes.md: each request is followed by its answer, some answers by a refusal. */
export const DOCUMENTED_MESSAGES: readonly Message[] = [
  ...readFileSync('docs/routes.md', 'utf8').matchAll(/```http\n([^`]+)```/g),
].map(([, text]) => readMessage(text!));

/** Its requests with their answers. */
export const DOCUMENTED_EXCHANGES: readonly Exchange[] = DOCUMENTED_MESSAGES.flatMap((request, index) =>
  request.firstLine.startsWith('HTTP/') ? [] : [{ request, answer: DOCUMENTED_MESSAGES[index + 1]! }],
);

function readMessage(text: string): Message {
  const [head = '', ...rest] = text.trim().split('\n\n');
  const [firstLine = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => [line.split(': ')[0]!, line.slice(line.indexOf(': ') + 2)]);
  return { firstLine, headers: Object.fromEntries(headers), body: rest.join('\n\n') };
}

/** Follows the exchanges against a service, signed in as Amelia, who must be a member of {@link EXCHANGES_HIRER}. */
export class ExchangeReader {
  private readonly abort = new AbortController();
  private attachment = '';

  private constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly fetch: typeof globalThis.fetch,
  ) {}

  /**
   * @param playground the upstream of the service at `url`
   * @param fetch may look at each exchange
   */
  static async signIn(
    url: string,
    playground: Playground,
    fetch = globalThis.fetch,
  ): Promise<ExchangeReader> {
    const reader = new ExchangeReader(url, await playground.signIn('amelia'), fetch);
    reader.attachment = await reader.linkOfAnAttachment(playground);
    return reader;
  }

  /** Sends a request as written, with what the page leaves to its reader put in. */
  send({ firstLine, headers, body }: Message): Promise<Response> {
    const sent = body.replace(/\/attachments\/<[^>]*>/, this.attachment);
    const [method = '', path = ''] = firstLine.split(/ (?:HTTP.*)?/);
    return this.fetch(this.url + path.replace(/^\/attachments\/<.*/, () => this.attachment), {
      method,
      signal: this.abort.signal,
      headers: {
        ...headers,
        ...('Authorization' in headers && { Authorization: `Bearer ${this.token}` }),
        ...('Seek-Signature' in headers && { 'Seek-Signature': signWebhook(body, EXCHANGES_WEBHOOK_SECRET) }),
      },
      ...(sent && { body: sent }),
    });
  }

  /** Expects that a request is answered as written. */
  async follow({ request, answer }: Exchange): Promise<void> {
    const response = await this.send(request);
    expect(response.status).toBe(Number(answer.firstLine.split(' ')[1]));
    for (const [name, value] of Object.entries(answer.headers)) {
      expect([name, response.headers.get(name)]).toEqual([name, asExpected(value)]);
    }
    if (answer.headers['Content-Type'] === 'text/event-stream') {
      return this.expectEvent(response, answer.body);
    }
    const text = await response.text();
    if (answer.body) expect(JSON.parse(text)).toEqual(asExpected(JSON.parse(answer.body)));
    expect(text).not.toContain('"errors"');
  }

  /** Ends what is still open: the event stream. */
  close(): void {
    this.abort.abort();
  }

  private async linkOfAnAttachment(playground: Playground): Promise<string> {
    const id = applicationWithFile(playground, EXCHANGES_HIRER);
    const response = await this.send({
      firstLine: 'POST /graphql HTTP/1.1',
      headers: { Authorization: '', 'X-Hirer-Id': EXCHANGES_HIRER, 'Content-Type': 'application/json' },
      body: JSON.stringify({ documentId: 'Application', variables: { id } }),
    });
    const { data } = (await response.json()) as {
      data: { candidateProfile: { attachments: { url: string }[] } };
    };
    return data.candidateProfile.attachments[0]!.url;
  }

  /** Sends an event of the written type while the stream is open. */
  private async expectEvent(response: Response, written: string): Promise<void> {
    const event = JSON.parse(/^data: (.*)/m.exec(written)![1]!) as { type: string };
    const sent = anEvent({ type: event.type });
    await sendWebhook(this.url, EXCHANGES_WEBHOOK_SECRET, [sent]);
    let text = '';
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (/^data: .*\n\n/m.test(text)) break;
    }
    const [, id, data] = /^id: (.*)\ndata: (.*)\n\n/m.exec(text)!;
    expect(id).toBe(sent['id']);
    expect(JSON.parse(data!)).toEqual(asExpected(event));
  }
}

/** The value that a written one stands for: `…` for any text or object, a text that ends in it for its beginning. */
export function asExpected(written: unknown): unknown {
  if (written === '…') return expect.anything();
  if (typeof written === 'number') return written < 400 ? written : expect.any(Number);
  if (typeof written === 'string') {
    return written.endsWith(' …') ? startingWith(written.slice(0, -2)) : written;
  }
  if (Array.isArray(written)) return expect.arrayContaining(written.map(asExpected));
  const members = Object.entries(written as object).map(([name, value]) => [name, asExpected(value)]);
  return expect.objectContaining(Object.fromEntries(members));
}

function startingWith(beginning: string): unknown {
  return expect.stringMatching(new RegExp(`^${beginning.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
}

/** The parts of the OpenAPI document that tests look at. */
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, OpenApiPath>>;
}

type Parameters = readonly { readonly name: string }[];

type OpenApiPath = Readonly<Record<string, OpenApiOperation>> & {
  readonly servers?: readonly object[];
  readonly parameters?: Parameters;
};

interface OpenApiOperation {
  readonly parameters?: Parameters;
  readonly responses: Readonly<Record<string, object>>;
}

type Headers = Readonly<Record<string, string>>;

/** Headers that the document describes elsewhere: as security, as media types, and for all requests. */
const ELSEWHERE = ['authorization', 'content-type', 'accept', 'x-request-id', 'x-session-id'];

/** The routes that the OpenAPI document describes, as `GET /events/{id}`, by listener. */
export function describedRoutes(): Readonly<Record<'public' | 'ops', readonly string[]>> {
  const { paths } = readDocument();
  const routesOf = (isOps: boolean): string[] =>
    Object.entries(paths)
      .filter(([, { servers }]) => (servers !== undefined) === isOps)
      .flatMap(([path, item]) => Object.keys(item).map((verb) => `${verb.toUpperCase()} ${path}`))
      .filter((route) => !/^(SERVERS|PARAMETERS) /.test(route));
  return { public: routesOf(false), ops: routesOf(true) };
}

/** A `fetch` that expects each request that is granted, and each answer, to be as the OpenAPI document says. */
export function describedFetch(): typeof fetch {
  const described = new DescribedRoutes(readDocument());
  return async (url, init = {}) => {
    const response = await fetch(url, init);
    await described.expect(new URL(url as string), init, response);
    return response;
  };
}

function readDocument(): OpenApiDocument {
  return JSON.parse(readFileSync('schemas/openapi.json', 'utf8')) as OpenApiDocument;
}

class DescribedRoutes {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  private readonly templates: readonly string[];

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema(document, 'document');
    const parameters = (path: string): number => path.split('{').length;
    this.templates = Object.keys(document.paths).toSorted(
      (one, other) => parameters(one) - parameters(other),
    );
  }

  async expect(url: URL, { method = 'GET', headers, body }: RequestInit, response: Response): Promise<void> {
    const template = this.templates.find((path) =>
      new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url.pathname),
    )!;
    const verb = method.toLowerCase();
    const operation = this.document.paths[template]?.[verb];
    if (!operation) throw new Error(`${method} ${url.pathname} is not described`);
    const pointer = ['paths', template, verb];
    if (response.ok) {
      const ofPath = this.document.paths[template]!.parameters ?? [];
      this.expectParameters([...ofPath, ...(operation.parameters ?? [])], url, headers as Headers);
      this.expectContent([...pointer, 'requestBody', 'content'], headers as Headers, body as string);
    }
    await this.expectAnswer(operation, pointer, response);
  }

  private expectParameters(parameters: Parameters, url: URL, headers: Headers = {}): void {
    const known = parameters.map(({ name }) => name.toLowerCase());
    const sent = [...url.searchParams.keys(), ...Object.keys(headers)].map((name) => name.toLowerCase());
    expect([...known, ...ELSEWHERE]).toEqual(expect.arrayContaining(sent));
  }

  /** Bodies of JSON are judged by their schema, of others the media type alone. */
  private expectContent(pointer: readonly string[], headers: Headers = {}, body?: string): void {
    if (body === undefined) return;
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const [mediaType = ''] = type.split(';');
    const range = '*/*' in (this.valueAt(pointer) ?? {}) ? '*/*' : mediaType;
    const schema = this.schemaAt([...pointer, range, 'schema']);
    if (!/[/+]json$/.test(mediaType)) return;
    if (!schema(JSON.parse(body))) throw new Error(`${this.ajv.errorsText(schema.errors)} in ${body}`);
  }

  private async expectAnswer(
    { responses }: OpenApiOperation,
    pointer: readonly string[],
    response: Response,
  ): Promise<void> {
    const status = String(response.status);
    expect(response.ok ? Object.keys(responses) : [status]).toContain(status);
    expect(response.headers.get('x-request-id')).toEqual(expect.any(String));
    const type = response.headers.get('content-type');
    const at = this.followed([...pointer, 'responses', response.ok ? status : 'default']);
    if (type === null || response.body === null) {
      return expect(this.valueAt(at)).not.toHaveProperty('content');
    }
    const body = /[/+]json(;|$)/.test(type) ? await response.clone().text() : '';
    this.expectContent([...at, 'content'], { 'content-type': type }, body);
  }

  private schemaAt(pointer: readonly string[]) {
    const path = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
    const found = this.ajv.getSchema(`document#/${path.map(encodeURIComponent).join('/')}`);
    if (!found) throw new Error(`not described: ${pointer.join(' ')}`);
    return found;
  }

  private valueAt(pointer: readonly string[]): object | undefined {
    return pointer.reduce<object | undefined>((value, part) => value?.[part as keyof object], this.document);
  }

  /** Where a place refers to. */
  private followed(pointer: readonly string[]): readonly string[] {
    const { $ref } = this.valueAt(pointer) as { $ref?: string };
    return $ref === undefined ? pointer : $ref.replace('#/', '').split('/');
  }
}
