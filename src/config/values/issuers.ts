import type { Reading } from './setting.js';

/** An entry of `END_USER_FORMER_ISSUER`: an issuer whose users are known by its former name. */
export interface FormerIssuer {
  /** Undefined where the entry names none: the first issuer is meant. */
  readonly issuer: string | undefined;
  readonly former: string;
}

/** The settings that name who signs users and machines in. */
export interface IssuerSetting {
  readonly END_USER_ISSUER: readonly string[];
  readonly END_USER_FORMER_ISSUER: readonly FormerIssuer[];
}

const SEPARATOR = '#'; // no issuer holds it: an issuer is a URL without a fragment (OpenID Connect Core section 2)

/**
 * The names by which users are known, that of the first issuer's first: the former name of an issuer that has one. Empty
 * text alone in playground mode without `END_USER_ISSUER`.
 */
export function issuersOf(config: IssuerSetting): readonly [string, ...string[]] {
  const [first = '', ...others] = new Set(
    config.END_USER_ISSUER.map((issuer) => knownIssuer(config, issuer)),
  );
  return [first, ...others];
}

/** The name by which the users of an issuer are stored and their pseudonyms made; its own unless it has a former one. */
export function knownIssuer(config: IssuerSetting, issuer: string): string {
  const [first] = config.END_USER_ISSUER;
  const entry = config.END_USER_FORMER_ISSUER.find((one) => (one.issuer ?? first) === issuer);
  return entry?.former ?? issuer;
}

/** Present names of issuers whose users are known by another: no user is stored under one. */
export function renamedIssuers(config: IssuerSetting): readonly string[] {
  return config.END_USER_ISSUER.filter((issuer) => knownIssuer(config, issuer) !== issuer);
}

/** Reads `former` or `issuer#former`. */
export function readFormerIssuer(entry: string): Reading<FormerIssuer> {
  const at = entry.indexOf(SEPARATOR);
  const issuer = at < 0 ? undefined : entry.slice(0, at);
  const former = entry.slice(at + 1);
  return issuer !== '' && former !== '' && !former.includes(SEPARATOR)
    ? { value: { issuer, former } }
    : { fault: 'must be an issuer, or issuer#former issuer' };
}

/** What is wrong with `END_USER_FORMER_ISSUER` beside `END_USER_ISSUER`. */
export function formerIssuerFaults(config: IssuerSetting): string[] {
  const { END_USER_ISSUER: issuers, END_USER_FORMER_ISSUER: entries } = config;
  const present = entries.map(({ issuer }) => issuer ?? issuers[0]);
  return entries.flatMap(({ former }, index) => {
    const issuer = present[index];
    const item = `END_USER_FORMER_ISSUER item ${index + 1}`;
    if (issuer === undefined || !issuers.includes(issuer)) {
      return [`${item} names an issuer that is not in END_USER_ISSUER`];
    }
    if (present.indexOf(issuer) < index) return [`${item} gives an issuer a second former name; keep one`];
    if (entries.findIndex((entry) => entry.former === former) < index) {
      return [`${item} gives two issuers one former name: their users would be the same people; keep one`];
    }
    return present.includes(former)
      ? [`${item} names as former an issuer that has a former name itself: give the oldest of them`]
      : [];
  });
}
