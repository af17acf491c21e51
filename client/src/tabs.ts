/**
 * Browser tokens shared between the tabs of one user.
 * @packageDocumentation
 */
import type { SharingPlace, SharingTab, TokenSharing } from './bff-options.js';
import type { Token } from './tokens.js';

type Message =
  | { readonly kind: 'hello' }
  | { readonly kind: 'tokens'; readonly tokens: readonly (readonly [key: string, token: Token])[] }
  | { readonly kind: 'signed-out' };

/**
 * Shares browser tokens, and the sign-out, between the tabs in which one user is signed in, by `BroadcastChannel`.
 *
 * Every script of the page's origin can read that channel and write to it: other applications on the origin, and
 * any script injected into one of them. So share only where the origin serves this one application.
 * @param user identifies the signed-in user on this origin; tabs of another user are ignored
 * @param waitMs how long a new tab waits for the tokens of tabs that are open before it asks the service; 50 by default
 */
export function shareTokens(user: string, waitMs = 50): TokenSharing {
  return {
    join: (url, tab) => join(new BroadcastChannel(`partner-bff ${JSON.stringify([url, user])}`), tab, waitMs),
  };
}

function join(channel: BroadcastChannel, tab: SharingTab, waitMs: number): SharingPlace {
  let resolve!: () => void;
  const ready = new Promise<void>((end) => {
    resolve = end;
  });
  const timer = setTimeout(resolve, waitMs);
  const post = (message: Message): void => channel.postMessage(message);
  const tell = (...tokens: [string, Token][]): void => {
    if (tokens.length > 0) post({ kind: 'tokens', tokens });
  };
  const receive = (data: Message): void => {
    switch (data.kind) {
      case 'hello':
        tell(...tab.entries());
        break;
      case 'tokens':
        // A tab at another hirer may be the first to answer.
        if (data.tokens.filter(([key, token]) => tab.onToken(key, token)).length > 0) resolve();
        break;
      case 'signed-out':
        tab.onSignedOut();
    }
  };
  channel.onmessage = ({ data }: MessageEvent<Message>): void => {
    try {
      receive(data);
    } catch {
      // not a message of this package
    }
  };
  post({ kind: 'hello' });
  return {
    ready,
    tell: (key, token) => tell([key, token]),
    leave: (signedOut) => {
      if (signedOut) post({ kind: 'signed-out' });
      clearTimeout(timer);
      resolve();
      channel.close();
    },
  };
}
