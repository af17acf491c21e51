import supertest from 'supertest';
import {
  applicationWithFile,
  sendBody,
  type Answer,
  startStack,
  type Stack,
  type Json,
} from '../support/start-stack.js';
import { BrowserTokens } from '../../src/token/browser-tokens.js';
import type { Environment } from '../../src/config/load-config.js';
import { startScriptedUpstream, useScriptedUpstream } from '../support/scripted-upstream.js';

/** The hirers of the demo, in order. */
export const [BANKSIA, NUSANTARA, CHAO_PHRAYA] = [
  'seekAnzPublicTest:organization:seek:93WyyF1h',
  'seekAnzPublicTest:organization:seek:4Kd8mQxT',
  'seekAnzPublicTest:organization:seek:7RwvC2Hn',
] as const;

/** A stack with one signed-in user, and requests to its `/graphql`. */
export interface ProxyStack extends Stack {
  /** Signed in as Amelia, who belongs to Banksia and Nusantara. */
  readonly amelia: string;
  /** Sends a body as Amelia for Banksia; a text or bytes unchanged, anything else as JSON. */
  ask(body: unknown, headers?: Record<string, string | undefined>): Promise<Answer>;
  /** Gives Amelia a browser token for Banksia that does not replace a refused one. */
  freshToken(): Promise<void>;
  /** Makes Amelia a member of Banksia, or ends that. */
  setMember(isMember: boolean): Promise<void>;
  /** An application at Banksia with a file, and the file's link, sealed for Amelia. */
  sealedLink(): Promise<{ readonly application: string; readonly link: string }>;
  /** The audit records that match a query, the latest first. */
  audit(query?: string): Promise<Json[]>;
  metrics(): Promise<string>;
  /** Number of upstream calls so far. */
  calls(route: 'graphql' | 'auth-token' | 'attachments'): number;
}

export async function startProxyStack(
  environment: Environment = {},
  options: Parameters<typeof startStack>[1] = {},
): Promise<ProxyStack> {
  const stack = await startStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '0', ...environment }, options);
  const amelia = await stack.playground.signIn('amelia');
  const ask: ProxyStack['ask'] = async (body, headers = {}) =>
    sendBody(
      supertest(stack.url)
        .post('/graphql')
        .set(
          present({
            'content-type': 'application/json',
            authorization: `Bearer ${amelia}`,
            'x-hirer-id': BANKSIA,
            ...headers,
          }),
        ),
      body,
    );
  return {
    ...stack,
    amelia,
    ask,
    setMember: async (isMember) => {
      const membership = supertest(`${stack.opsUrl}/memberships/amelia/${encodeURIComponent(BANKSIA)}`);
      if (isMember) await membership.put('').expect(200);
      else await membership.delete('').expect(204);
    },
    sealedLink: async () => {
      const application = applicationWithFile(stack.playground, BANKSIA);
      const { body } = await ask({ documentId: 'Application', variables: { id: application } });
      return { application, link: body.data.candidateProfile.attachments[0].url as string };
    },
    freshToken: async () => {
      stack.service.app.get(BrowserTokens, { strict: false }).dropHirers([BANKSIA]);
      const headers = { authorization: `Bearer ${amelia}`, 'x-hirer-id': BANKSIA };
      await supertest(stack.url).post('/graphql').set(headers).send({ query: 'query fresh { ok }' });
    },
    audit: async (query = '') => (await supertest(stack.opsUrl).get(`/audit?${query}`)).body.items,
    metrics: async () => (await supertest(stack.opsUrl).get('/metrics')).text,
    calls: (route) => stack.playground.calls.list({ route }).length,
  };
}

/** The same for a suite, from before its first test until after its last. */
export function useProxyStack(
  environment: () => Environment = () => ({}),
  options?: Parameters<typeof startStack>[1],
): ProxyStack {
  const stack = {} as ProxyStack;
  beforeAll(async () => Object.assign(stack, await startProxyStack(environment(), options)));
  return stack;
}

/** The same before an upstream that answers as a test says. */
export function useScriptedStack(environment: Environment = {}) {
  const upstream = useScriptedUpstream();
  const stack = useProxyStack(() => ({ UPSTREAM_URL: upstream.url, ...environment }));
  return { upstream, stack };
}

/** The same, started now. */
export async function startScriptedStack(
  environment: Environment = {},
  options?: Parameters<typeof startStack>[1],
) {
  const upstream = await startScriptedUpstream();
  return { upstream, stack: await startProxyStack({ UPSTREAM_URL: upstream.url, ...environment }, options) };
}

/** The code of a refusal, or of the first error. */
export const codeOf = ({ body }: Pick<Answer, 'body'>): unknown => body.errors?.[0]?.extensions?.code;

function present(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const PROFILE_PATH = 'positionOrganizations.id.value';
/** Files of operations whose caller can skip the field that proves ownership, and that read two objects at once. */
export const TRICKY = {
  'skipped.graphql': `query Skipped($id: String!, $x: Boolean!) @hirer(path: "positionProfile.${PROFILE_PATH}")
    @token(use: PARTNER) { positionProfile(id: $id) {
      positionOrganizations @skip(if: $x) { id { value } } ...Title @include(if: $x) } }
    fragment Title on PositionProfile { positionTitle positionOrganizations @skip(if: $x) { name } }`,
  'two.graphql': `query Two($own: String!, $id: String!) @hirer(path: "own.${PROFILE_PATH}")
    @hirer(path: "other.${PROFILE_PATH}") @token(use: PARTNER) {
      own: positionProfile(id: $own) { ...Owner } other: positionProfile(id: $id) { positionTitle ...Owner } }
    fragment Owner on PositionProfile { positionOrganizations { id { value } } }`,
};
