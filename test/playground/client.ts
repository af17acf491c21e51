import supertest from 'supertest';
import { runControl } from '../../playground/src/command/command-line.js';
import type { Playground, PlaygroundOptions } from '../../playground/src/playground.js';
import { SCOPES } from '../../playground/src/tokens/tokens.js';
import { openPlayground, sendBody, type Answer, type Json } from '../support/start-stack.js';
import { theSchema } from '../../playground/src/graphql/schema/schema.js';
import { makeExamples, type Example } from '../../playground/src/pages/examples.js';

/** The first hirer of the demo. */
export const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
/** A hirer of the demo that lets the partner post and read applications. */
export const NUSANTARA = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
/** A hirer of the demo that lets the partner read applications and nothing else. */
export const CHAO_PHRAYA = 'seekAnzPublicTest:organization:seek:7RwvC2Hn';
/** A hirer the partner has no relationship with. */
export const UNRELATED = 'seekAnzPublicTest:organization:seek:5TgzB9Lp';
export const MELBOURNE = 'seekAnzPublicTest:location:seek:2FqwWaaMV';

export interface GraphqlAnswer {
  readonly data?: Record<string, never> | null;
  readonly errors?: { message: string; path?: (string | number)[]; extensions: { code: string } }[];
  readonly extensions?: { requestLatency: number };
}

/** A playground for a suite, from before its first test until after its last. */
export function usePlayground(options: PlaygroundOptions = {}): Playground {
  const playground = {} as Playground;
  beforeAll(async () => {
    Object.defineProperties(playground, Object.getOwnPropertyDescriptors(await openPlayground(options)));
  });
  return playground;
}

/** Runs a command of the playground's command line; its answer. */
export async function control({ upstreamUrl }: Playground, name: string, ...pairs: string[]): Promise<Json> {
  return JSON.parse(await runControl(name, pairs, { PLAYGROUND_URL: upstreamUrl }));
}

/** The same value with one member replaced. */
export function withMember(value: Json, path: string, member: unknown): Json {
  const copy = structuredClone(value);
  const names = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const last = names.pop()!;
  names.reduce((inner, name) => inner[name], copy)[last] = member;
  return copy;
}

/** Posts JSON; text and bytes are sent unchanged. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = supertest(url)
    .post('')
    .set({ 'Content-Type': 'application/json', ...headers });
  return sendBody(request, body);
}

export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

export function partnerToken({ tokens }: Playground): string {
  return tokens.issuePartner(600);
}

export function browserToken(
  { tokens }: Playground,
  scopes: readonly string[] = SCOPES,
  hirerId = BANKSIA,
): string {
  return tokens.issueBrowser({ hirerId, scopes: new Set(scopes), userId: '42' }, 600);
}

/** Sends one operation with a token, or none. */
export async function ask(
  playground: Playground,
  query: string,
  variables?: Record<string, unknown>,
  token: string | undefined = partnerToken(playground),
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer> {
  const authorization = token === undefined || token === '' ? {} : bearer(token);
  const response = await post(
    `${playground.upstreamUrl}/graphql`,
    { query, ...(variables && { variables }) },
    { ...authorization, ...headers },
  );
  return response.body as GraphqlAnswer;
}

/** The codes of an answer's errors, with the path of each. */
export function errorsOf(answer: GraphqlAnswer): [code: string, path: string][] {
  return (answer.errors ?? []).map(({ extensions, path }) => [extensions.code, (path ?? []).join('.')]);
}

/** The input of an upload: a candidate of the first hirer with this e-mail address. */
export function uploadInput(address: string): object {
  return {
    hiringOrganization: { id: BANKSIA },
    candidate: {
      person: {
        name: { formattedName: 'Robin Example' },
        communication: { email: [{ address }], phone: [] },
      },
      seekPrimaryEmailAddress: address,
      distributionGuidelines: { seekProductCodes: ['ProactiveSourcing'] },
    },
    candidateProfile: {
      createDateTime: '2026-05-01T00:00:00Z',
      updateDateTime: '2026-05-27T00:00:00Z',
      positionPreferences: [],
      seekActions: [],
      seekProcessHistory: [],
    },
  };
}

/** The partner token request that the issuer accepts. */
export function tokenRequest({ settings }: Playground): Record<string, string> {
  return {
    grant_type: 'client_credentials',
    client_id: settings['PARTNER_CLIENT_ID'] ?? '',
    client_secret: settings['PARTNER_CLIENT_SECRET'] ?? '',
    audience: settings['PARTNER_AUDIENCE'] ?? '',
  };
}

/** An example of every operation. */
export function examplesOf({ world, webhooks }: Playground): Example[] {
  return makeExamples(theSchema(), world, webhooks);
}

/** The example of one operation. */
export function exampleOf(playground: Playground, name: string): Example {
  return examplesOf(playground).find((one) => one.name === name)!;
}
