/** The script of the page of `urql-views.page.test.ts`: views of urql in React, as the README has them. */
import { createElement, useMemo, useState, type ReactElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider, useQuery } from 'urql';
import { Bff, type BffOptions } from '../src/client.js';
import { BffProvider, useBff, useHirerClient } from '../src/react.js';
import { createUrqlClient } from '../src/urql.js';

interface Self {
  readonly self: { readonly hirer: { readonly name: string } };
}

/** The contents of a view at one moment, and their hirer. */
export type Shown = readonly [hirerId: string | undefined, name: string];

function Data({ children }: { readonly children: ReactNode }): ReactElement {
  const client = useHirerClient(createUrqlClient);
  return createElement(Provider, { value: client, key: useBff().hirerId }, children);
}

/** The functions that the tests call. */
export class UrqlViewsPage {
  readonly shown: Shown[] = [];
  private readonly bff: Bff;
  private set!: (wanted: { hirerId?: string; isPaused: boolean }) => void;

  constructor({ userToken, ...options }: Pick<BffOptions, 'url' | 'hirerId'> & { userToken: string }) {
    this.bff = new Bff({ ...options, getUserToken: () => userToken });
    const root = createRoot(document.body);
    const page = createElement(Data, null, createElement(this.Choice));
    root.render(createElement(BffProvider, { bff: this.bff }, page));
  }

  /** Shows another hirer beside the current one. */
  show(hirerId: string): void {
    this.set({ hirerId, isPaused: false });
  }

  /** Makes the view of the current hirer ask no more. */
  pause(): void {
    this.set({ isPaused: true });
  }

  switchHirer(hirerId: string): void {
    this.bff.switchHirer(hirerId);
  }

  signOut(): void {
    this.bff.signOut();
  }

  private readonly Choice = (): ReactElement => {
    const [wanted, set] = useState<{ hirerId?: string; isPaused: boolean }>({ isPaused: false });
    this.set = set;
    const { hirerId: current } = useBff();
    const hirerId = wanted.hirerId ?? current;
    return createElement(this.Name, { key: hirerId, hirerId, isPaused: wanted.isPaused });
  };

  private readonly Name = (props: { hirerId: string | undefined; isPaused: boolean }): ReactElement => {
    const { hirerId, isPaused } = props;
    const context = useMemo(() => ({ bff: { hirerId } }), [hirerId]);
    const query = 'query Self { self { hirer { name } } }';
    const [{ data }] = useQuery<Self>({ query, context, pause: isPaused });
    const name = data?.self.hirer.name ?? '';
    this.shown.push([hirerId, name]);
    return createElement('p', null, `${hirerId} ${name} ${isPaused ? 'paused' : ''}`);
  };
}

Object.assign(globalThis, { UrqlViewsPage });
