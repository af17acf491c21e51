import type { Hirer } from 'partner-bff-client';
import { createContext, useContext } from 'react';
import type { Draft } from './ads/draft.ts';
import type { Arrivals } from './applications/use-arrivals.ts';
import type { User } from './session.ts';
import type { Happenings } from './use-happenings.ts';

/** The view of the page. */
export type View =
  | { readonly name: 'ads' }
  | { readonly name: 'ad'; readonly id: string }
  | { readonly name: 'form'; readonly draft: Draft }
  | { readonly name: 'application'; readonly id: string; readonly back: View };

/** An ad that the upstream has taken, and posts after its answer: an event tells whether it succeeded. */
export interface Posting {
  readonly id: string;
  /** What was sent, to be corrected if the ad is not posted. */
  readonly draft: Draft;
}

/** The hirer that is on view, and what all views of it share. */
export interface Place {
  readonly hirer: Hirer;
  readonly user: User;
  readonly happenings: Happenings;
  readonly arrivals: Arrivals;
  readonly go: (view: View) => void;
  readonly follow: (posting: Posting) => void;
}

/** Given by the workplace. */
export const PlaceContext = createContext<Place | undefined>(undefined);

/** The hirer on view. */
export function usePlace(): Place {
  return useContext(PlaceContext)!;
}
