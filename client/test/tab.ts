/** The script of the tabs of `tab.page.test.ts`: a page of a partner, driven from outside. */
import { gql, type ApolloClient } from '@apollo/client';
import { ApolloProvider, useQuery } from '@apollo/client/react';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createAttachmentLink } from '../src/attachments.js';
import { Bff, pages, request } from '../src/client.js';
import { BffProvider, useBff, useEvents, useHirerClient } from '../src/react.js';
import { loadLocations } from './locations.js';
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
  private client: ApolloClient;
  private readonly arrived: string[] = [];

  constructor({ userToken, ...options }: TabOptions) {
    this.bff = new Bff({ ...options, getUserToken: () => userToken });
    this.client = apolloClient(this.bff);
    this.bff.onChange(() => (this.client = apolloClient(this.bff)));
  }

  switchHirer(hirerId: string): void {
    this.bff.switchHirer(hirerId);
  }

  setLanguage(language: string): void {
    this.bff.language = language;
  }

  signOut(): void {
    this.bff.signOut();
  }

  /** The name of a job category by Apollo Client, in the language of the page. */
  category(id: string): Promise<string> {
    const query = gql`
      query Category($id: String!) {
        jobCategory(id: $id) {
          name
        }
      }
    `;
    interface Answer {
      readonly jobCategory: { readonly name: string };
    }
    return this.settled(
      this.client.query<Answer>({ query, variables: { id } }).then(({ data }) => data!.jobCategory.name),
    );
  }

  /** Loads what has not arrived of a list of identifiers; returns what arrived so far, and the error. */
  async load(ids: readonly string[]): Promise<{ ids: string[]; error: string | undefined }> {
    const run = pages(this.bff, {
      items: ids.slice(this.arrived.length),
      limit: 20,
      load: (page, options) => loadLocations(this.bff, page, options),
    });
    let error: string | undefined;
    try {
      for await (const page of run) this.arrived.push(...page);
    } catch (fault) {
      error = codeOf(fault);
    }
    return { ids: this.arrived, error };
  }

  /** Puts a one-use link to the first file of an application on the page. */
  async link(profileId: string): Promise<void> {
    interface Application {
      readonly candidateProfile: { readonly attachments: readonly { readonly url: string }[] };
    }
    const application = await request<Application, object>(this.bff, {
      documentId: 'Application',
      variables: { id: profileId },
    });
    const { url } = await createAttachmentLink(this.bff, application.candidateProfile.attachments[0]!.url);
    document.body.append(Object.assign(document.createElement('a'), { href: url, textContent: 'The file' }));
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

  private settled(work: Promise<string>): Promise<string> {
    return work.catch(codeOf);
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
