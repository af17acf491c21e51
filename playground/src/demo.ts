import { readTable } from './data/tables.js';

/** The people and memberships for trying out the service. */
export interface Demo {
  readonly users: readonly { readonly subject: string; readonly name: string; readonly about: string }[];
  readonly hirers: readonly { readonly hirerId: string; readonly name: string }[];
  readonly memberships: readonly {
    readonly subject: string;
    readonly hirerId: string;
    readonly roles: string[];
  }[];
}

/** The demo of a world, which seeding adds to. */
export type GrowingDemo = { readonly [Name in keyof Demo]: Demo[Name][number][] };

/** Three users with overlapping memberships over three hirers, and one who belongs to none. */
export const DEMO = readTable<Demo>('demo');
