/** The setting that names who signs users and machines in. */
export interface IssuerSetting {
  readonly END_USER_ISSUER: readonly string[];
}

/** The issuers of end-user tokens, the first one first; it is empty in playground mode without `END_USER_ISSUER`. */
export function issuersOf({ END_USER_ISSUER }: IssuerSetting): readonly [string, ...string[]] {
  const [first = '', ...others] = END_USER_ISSUER;
  return [first, ...others];
}
