import { Bff, request, type BffOptions } from '../src/client.js';
import { BANKSIA } from '../../test/proxy/proxy-stack.js';
import type { Stack } from '../../test/support/start-stack.js';

/** The parts of a page in the tests. */
export interface TestPage {
  readonly bff: Bff;
  /** Requests sent so far to a path of service or upstream. */
  sent(path: string): number;
}

/** A page of Amelia at Banksia, against a running service and playground. */
export function openPage(stack: Stack, options: Partial<BffOptions> = {}): TestPage {
  const paths: string[] = [];
  const { fetch: send = fetch, ...rest } = options;
  const bff = new Bff({
    url: stack.url,
    upstreamUrl: stack.playground.upstreamUrl,
    getUserToken: () => stack.playground.signIn('amelia'),
    hirerId: BANKSIA,
    scope: 'query:ontologies query:organizations',
    fetch: (url, init) => {
      paths.push(new URL(url as string).pathname);
      return send(url, init);
    },
    ...rest,
  });
  return { bff, sent: (path) => paths.filter((sent) => sent === path).length };
}

/** A page before a service that there is not: `send` answers its requests. */
export function pageBefore(send: typeof fetch, options: Partial<BffOptions> = {}): Bff {
  return new Bff({ url: 'https://bff.example', getUserToken: () => 'token', fetch: send, ...options });
}

/** The hirer that a browser token is for. */
export function hirerOf({ playground }: Stack, token: string): string | undefined {
  const read = playground.tokens.read(`Bearer ${token}`);
  return 'token' in read && read.token.kind === 'browser' ? read.token.hirerId : undefined;
}

/** The id of an application to Banksia that has a file. */
export function applicationWithFile({ playground }: Stack): string {
  const { attachments, candidateProfiles } = playground.world;
  return [...attachments.values()].find(
    ({ hirerId, profileId }) =>
      hirerId === BANKSIA && candidateProfiles.get(profileId)?.positionProfileId != null,
  )!.profileId;
}

/** A sealed link to a file of an application to Banksia. */
export async function sealedLink(stack: Stack, bff: Bff): Promise<string> {
  const id = applicationWithFile(stack);
  const application = await request<Application, object>(bff, {
    documentId: 'Application',
    variables: { id },
  });
  return application.candidateProfile.attachments[0]!.url;
}

interface Application {
  readonly candidateProfile: { readonly attachments: readonly { readonly url: string }[] };
}
