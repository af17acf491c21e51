import { Kind, parse, print, visit, type FieldDefinitionNode } from 'graphql';
import type { Json } from './start-stack.js';
import {
  json,
  startJsonServer,
  type Answerer,
  type JsonServer,
  type ReceivedRequest,
} from './json-server.js';

/** The answer to one operation: its body, or `hang` for none. */
export type Script = (operation: Json, call: ReceivedRequest) => string;

/** A token as the issuer and the token endpoint give it; for an hour, where it says nothing else. */
export interface Grant {
  readonly access_token: string;
  readonly expires_in?: number;
}

/**
 * The upstream that a test writes: it issues and mints tokens `token-1`, `token-2` …, and answers operations, single or in
 * arrays, by a script.
 */
export interface ScriptedUpstream {
  readonly url: string;
  readonly server: JsonServer;
  /** Parsed bodies of the requests to `/graphql`. */
  readonly calls: { readonly token: string | undefined; readonly body: Json; readonly raw: string }[];
  /** Every operation that ran, in order; the items of arrays one by one. */
  readonly executed: { readonly token: string | undefined; readonly operation: Json }[];
  mints: number;
  /** Grants a partner token or a browser token; without one the request is refused. */
  mint: (call: ReceivedRequest) => Grant | undefined;
  script: Script;
  /** Answers what is asked for under `/attachments/`. */
  sendFile: Answerer;
  /** Runs before each answer; returns true when it has answered the request. */
  before: ((call: ReceivedRequest, response: Parameters<JsonServer['answer']>[1]) => boolean) | undefined;
  reset(): void;
}

export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const upstream = {} as ScriptedUpstream;
  await start(upstream);
  return upstream;
}

/** The same for a suite, from before its first test until after its last. */
export function useScriptedUpstream(): ScriptedUpstream {
  const upstream = {} as ScriptedUpstream;
  beforeAll(() => start(upstream));
  return upstream;
}

async function start(upstream: ScriptedUpstream): Promise<void> {
  const server = await startJsonServer((call, response) => {
    if (call.url === '/auth/token' || call.url === '/oauth/token') {
      upstream.mints += 1;
      const grant = upstream.mint(call);
      if (!grant) return json({ error: 'refused' }, 401)(call, response);
      return json({ expires_in: 3600, token_type: 'Bearer', ...grant })(call, response);
    }
    if (call.url.startsWith('/attachments/')) return upstream.sendFile(call, response);
    const body = JSON.parse(call.body);
    const token = tokenOf(call);
    upstream.calls.push({ token, body, raw: call.body });
    if (upstream.before?.(call, response)) return;
    const answers = [body].flat().map((operation) => {
      upstream.executed.push({ token, operation });
      return upstream.script(operation, call);
    });
    if (answers.includes('hang')) return;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(Array.isArray(body) ? `[${answers.join(',')}]` : answers[0]);
  });
  const usual = {
    mint: () => ({ access_token: `token-${upstream.mints}` }),
    script: () => '{"data":{"ok":true}}',
    sendFile: json({}),
    before: undefined,
  };
  Object.assign(upstream, {
    url: server.url.origin,
    server,
    calls: [],
    executed: [],
    mints: 0,
    ...usual,
    reset() {
      upstream.calls.length = 0;
      upstream.executed.length = 0;
      Object.assign(upstream, usual);
    },
  } satisfies ScriptedUpstream);
}

/** The bearer token of a call. */
export function tokenOf({ headers }: ReceivedRequest): string | undefined {
  return headers.authorization?.slice('Bearer '.length);
}

/** A GraphQL answer that the token was not accepted for the root fields given, or for the whole request. */
export function unauthenticated(...roots: string[]): string {
  const error = { message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } };
  const errors = roots.length === 0 ? [error] : roots.map((root) => ({ ...error, path: [root] }));
  const data = roots.length === 0 ? undefined : Object.fromEntries(roots.map((root) => [root, null]));
  return JSON.stringify({ data, errors });
}

/**
 * SDL with a change to every field of that name, as an upstream would make it.
 * @param types those whose field is changed; all without
 */
export function changeFields(
  sdl: string,
  name: string,
  change: 'remove' | 'deprecate',
  types?: readonly string[],
): string {
  let isInside = false;
  const changed = (node: FieldDefinitionNode): FieldDefinitionNode | null =>
    change === 'remove' ? null : { ...node, directives: [DEPRECATED] };
  return print(
    visit(parse(sdl), {
      enter: (node) => {
        if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION) {
          isInside = !types || types.includes(node.name.value);
        }
        if (node.kind !== Kind.FIELD_DEFINITION || !isInside || node.name.value !== name) return undefined;
        return changed(node);
      },
    }),
  );
}

const DEPRECATED = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'deprecated' } } as const;
