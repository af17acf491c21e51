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

const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const NUSANTARA = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
const CHAO_PHRAYA = 'seekAnzPublicTest:organization:seek:7RwvC2Hn';

/** Three users with overlapping memberships over three hirers, and one who belongs to none. */
export const DEMO: Demo = {
  users: [
    {
      subject: 'amelia',
      name: 'Amelia Hughes',
      about: 'Recruits for Banksia Health and Nusantara Logistics.',
    },
    {
      subject: 'bayu',
      name: 'Bayu Santoso',
      about: 'Recruits for Nusantara Logistics and Chao Phraya Hotels.',
    },
    { subject: 'chanida', name: 'Chanida Wongsa', about: 'Recruits for Chao Phraya Hotels only.' },
    { subject: 'dora', name: 'Dora Kelly', about: 'Signed in, but belongs to no hirer.' },
  ],
  hirers: [
    { hirerId: BANKSIA, name: 'Banksia Health Group' },
    { hirerId: NUSANTARA, name: 'Nusantara Logistics' },
    { hirerId: CHAO_PHRAYA, name: 'Chao Phraya Hotels' },
  ],
  memberships: [
    { subject: 'amelia', hirerId: BANKSIA, roles: ['member'] },
    { subject: 'amelia', hirerId: NUSANTARA, roles: ['member'] },
    { subject: 'bayu', hirerId: NUSANTARA, roles: ['member'] },
    { subject: 'bayu', hirerId: CHAO_PHRAYA, roles: ['member'] },
    { subject: 'chanida', hirerId: CHAO_PHRAYA, roles: ['member'] },
  ],
};
