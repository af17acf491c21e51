import { Bff, type Hirer } from 'partner-bff-client';

// The addresses that `npm start` listens on; set the variables when you build for another place.
const {
  VITE_SERVICE_URL: SERVICE_URL = 'http://127.0.0.1:3000',
  VITE_UPSTREAM_URL: UPSTREAM_URL = 'http://127.0.0.1:3010',
  VITE_SIGN_IN_URL: SIGN_IN_URL = 'http://127.0.0.1:3011/demo/sign-in',
} = import.meta.env as Partial<Record<string, string>>;

/** The languages of the upstream's texts: names of locations, products, kinds of pay. */
export const LANGUAGES = { 'en-AU': 'English', 'id-ID': 'Bahasa Indonesia', 'th-TH': 'ไทย' };

/** The person who is signed in, as your sign-in knows them: the upstream knows users by a pseudonym only. */
export interface User {
  readonly subject: string;
  readonly name: string;
}

/** A signed-in user, and the hirers that the user belongs to. */
export interface Session {
  readonly bff: Bff;
  readonly user: User;
  readonly hirers: readonly Hirer[];
}

/** The playground's users, with the hirers that they belong to. */
export const DEMO_USERS: readonly (User & { readonly hirers: string })[] = [
  { subject: 'amelia', name: 'Amelia Hughes', hirers: 'Banksia Health Group, Nusantara Logistics' },
  { subject: 'bayu', name: 'Bayu Santoso', hirers: 'Nusantara Logistics, Chao Phraya Hotels' },
  { subject: 'chanida', name: 'Chanida Wongsa', hirers: 'Chao Phraya Hotels' },
  { subject: 'dora', name: 'Dora Kelly', hirers: 'no hirer yet' },
];

/**
 * Signs a user in. Replace `fetchUserToken` by your own sign-in; the rest stays.
 * @throws Error
 */
export async function signIn({ subject }: User): Promise<Bff> {
  let userToken = await fetchUserToken(subject);
  return new Bff({
    url: SERVICE_URL,
    upstreamUrl: UPSTREAM_URL,
    scope: 'query:ontologies query:ad-products', // of browser tokens; ask for no more than the page uses
    language: 'en-AU',
    getUserToken: async ({ refresh }) => {
      // the token that was refused gives up: the page then offers to sign in again
      if (refresh) userToken = await fetchUserToken(subject).catch(() => userToken);
      return userToken;
    },
  });
}

async function fetchUserToken(subject: string): Promise<string> {
  const response = await fetch(SIGN_IN_URL, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject }),
  }).catch(() => undefined);
  if (!response?.ok) throw new Error('You could not be signed in. Is the playground running (npm start)?');
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}
