/**
 * Browser tokens shared between the tabs of one user.
 * @packageDocumentation
 */
import type { SharingPlace, SharingTab, TokenSharing } from './bff-options.js';
import type { Token } from './tokens.js';

type Message =
  | { readonly kind: 'hello' }
  | { readonly kind: 'token'; readonly key: string; readonly token: Token }
  | { readonly kind: 'signed-out' };

/** How long a new tab waits for those that are open before it asks the service. */
const ANSWER_MS = 50;

/**
 * Shares browser tokens, and the sign-out, between the tabs in which one user is signed in, by `BroadcastChannel`.
 *
 * Every script of the page's origin can read that channel and write to it: other applications on the origin, and
 * whatever was injected into one of them. So share only where the origin serves this one application.
 * @param user identifies the signed-in user on this origin; tabs of another user take no part
 */
export function shareTokens(user: string): TokenSharing {
  return {
    join: (url, tab) => join(new BroadcastChannel(`partner-bff ${JSON.stringify([url, user])}`), tab),
  };
}

function join(channel: BroadcastChannel, tab: SharingTab): SharingPlace {
  const ready = Promise.withResolvers<void>();
  const timer = setTimeout(ready.resolve, ANSWER_MS);
  const post = (message: Message): void => channel.postMessage(message);
  const tell = (key: string, token: Token): void => post({ kind: 'token', key, token });
  channel.onmessage = ({ data }: MessageEvent<Message>): void => {
    switch (data.kind) {
      case 'hello':
        for (const [key, token] of tab.entries()) tell(key, token);
        break;
      case 'token':
        tab.onToken(data.key, data.token);
        ready.resolve();
        break;
      case 'signed-out':
        tab.onSignedOut();
    }
  };
  post({ kind: 'hello' });
  return {
    ready: ready.promise,
    tell,
    leave: (signedOut) => {
      if (signedOut) post({ kind: 'signed-out' });
      clearTimeout(timer);
      ready.resolve();
      channel.close();
    },
  };
}
