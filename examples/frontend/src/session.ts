import { Bff } from 'partner-bff-client';
import { shareTokens } from 'partner-bff-client/tabs';

// The addresses that `npm start` listens on; set the variables when you build for another place.
const {
  VITE_SERVICE_URL: SERVICE_URL = 'http://127.0.0.1:3000',
  VITE_UPSTREAM_URL: UPSTREAM_URL = 'http://127.0.0.1:3010',
  VITE_SIGN_IN_URL: SIGN_IN_URL = 'http://127.0.0.1:3011/demo/sign-in',
} = import.meta.env as Partial<Record<string, string>>;

/** The playground's users. */
export const DEMO_USERS = [
  { subject: 'amelia', name: 'Amelia Hughes', about: 'two hirers' },
  { subject: 'bayu', name: 'Bayu Santoso', about: 'two hirers' },
  { subject: 'chanida', name: 'Chanida Wongsa', about: 'one hirer' },
  { subject: 'dora', name: 'Dora Kelly', about: 'no hirer' },
];

/** The languages of the upstream's texts. */
export const LANGUAGES = { 'en-AU': 'English', 'id-ID': 'Bahasa Indonesia', 'th-TH': 'ไทย' };

/**
 * Signs a user in. Replace `fetchUserToken` by your own sign-in; the rest stays.
 * @throws Error with a sentence for the user
 */
export async function signIn(subject: string): Promise<Bff> {
  let userToken = await fetchUserToken(subject);
  return new Bff({
    url: SERVICE_URL,
    upstreamUrl: UPSTREAM_URL,
    scope: 'query:ontologies', // of browser tokens; ask for no more than the page uses
    language: 'en-AU',
    getUserToken: async ({ refresh }) => {
      if (refresh) userToken = await fetchUserToken(subject);
      return userToken;
    },
    sharing: shareTokens(subject), // only where this application has the origin for itself
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
