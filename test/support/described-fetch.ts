import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** The parts of the OpenAPI document that tests look at. */
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, OpenApiPath>>;
}

type OpenApiPath = Readonly<Record<string, OpenApiOperation>> & { readonly servers?: readonly object[] };

interface OpenApiOperation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
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
      .filter((route) => !route.startsWith('SERVERS '));
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
      this.expectParameters(operation, url, headers as Headers);
      this.expectContent([...pointer, 'requestBody', 'content'], headers as Headers, body as string);
    }
    await this.expectAnswer(operation, pointer, response);
  }

  private expectParameters(operation: OpenApiOperation, url: URL, headers: Headers = {}): void {
    const known = (operation.parameters ?? []).map(({ $ref, name }) =>
      (name ?? $ref!.split('/').at(-1)!).toLowerCase(),
    );
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
