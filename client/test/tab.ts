/** The script of the tabs of `tab.page.test.ts`: a page of a partner, driven from outside. */
import { gql } from '@apollo/client';
import { ApolloProvider, useQuery } from '@apollo/client/react';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Bff } from '../src/client.js';
import { BffProvider, useBff, useEvents, useHirerClient } from '../src/react.js';
import { apolloClient } from './recipes.js';

/** The options of a tab. */
export interface TabOptions {
  readonly url: string;
  readonly upstreamUrl: string;
  readonly userToken: string;
  readonly hirerId: string;
  readonly scope: string;
}

/** The functions that the tests call. */
export class Tab {
  private readonly bff: Bff;

  constructor({ userToken, ...options }: TabOptions) {
    this.bff = new Bff({ ...options, getUserToken: () => userToken });
  }

  switchHirer(hirerId: string): void {
    this.bff.switchHirer(hirerId);
  }

  signOut(): void {
    this.bff.signOut();
  }

  /** Shows the hooks. */
  render(): void {
    const root = document.body.appendChild(document.createElement('main'));
    createRoot(root).render(
      createElement(BffProvider, { bff: this.bff }, createElement(Hooks), createElement(Apollo)),
    );
  }

  /** Everything that the view has shown so far. */
  shown(): typeof shown {
    return shown;
  }
}

function Hooks() {
  const bff = useBff();
  const [seen, setSeen] = useState<string[]>([]);
  const { isOpen } = useEvents((event) => setSeen((last) => [...last, event.id]));
  const events = `${isOpen ? 'open' : 'closed'} ${seen.join(' ')}`;
  return createElement('p', { id: 'hooks' }, `${bff.hirerId ?? 'none'} ${events}`);
}

/** Everything that a view of Apollo Client has shown, under the hirer that was current. */
const shown: [hirerId: string | undefined, name: string | undefined][] = [];

function Apollo() {
  const client = useHirerClient(apolloClient);
  return createElement(ApolloProvider, { client, children: createElement(Self) });
}

function Self() {
  const { hirerId } = useBff();
  const { data, error } = useQuery<{ self: { hirer: { name: string } } }>(SELF);
  const name = data?.self.hirer.name;
  shown.push([hirerId, name]);
  return createElement('p', { id: 'self' }, name ?? (error ? codeOf(error) : 'loading'));
}

const SELF = gql`
  query Self {
    self {
      hirer {
        name
      }
    }
  }
`;

function codeOf(error: unknown): string {
  const { code, reason } = (error ?? {}) as { code?: string; reason?: string };
  return [code, reason].filter(Boolean).join(' ') || String(error);
}

Object.assign(globalThis, { Tab });
