import { now } from './model.js';

/**
 * The user and hirer that a browser token was minted for. The token says so itself, so that it can be judged wherever
 * it turns up.
 */
export interface Grant {
  readonly userId: string;
  readonly hirerId: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly mintedAt: number;
  readonly expiresAt: number;
  readonly serial: number;
}

const BROWSER = 'browser.';
const PARTNER = 'partner.';
/** Either kind of token, wherever it stands in a text. */
export const ANY_TOKEN = /\b(?:browser|partner)\.[\w-]+/;

/** Issuer and token endpoint of the drill's upstream: tokens, and which are still good. */
export class DrillTokens {
  private serial = 0;
  private partnerSerialMin = 0;
  private readonly hirerSince = new Map<string, number>();

  issuePartner(lifeSeconds: number): string {
    this.serial += 1;
    return `${PARTNER}${encode({ serial: this.serial, expiresAt: now() + lifeSeconds * 1000 })}`;
  }

  /** No partner token issued so far is accepted any more. */
  revokePartner(): void {
    this.partnerSerialMin = this.serial + 1;
  }

  mint(grant: Pick<Grant, 'userId' | 'hirerId' | 'scopes'>, lifeSeconds: number): string {
    this.serial += 1;
    const mintedAt = now();
    const { serial } = this;
    return `${BROWSER}${encode({ ...grant, serial, mintedAt, expiresAt: mintedAt + lifeSeconds * 1000 })}`;
  }

  /** No browser token of the hirer minted so far is accepted any more. */
  revokeBrowser(hirerId: string): void {
    this.hirerSince.set(hirerId, now());
  }

  isPartner(token: string): boolean {
    if (!token.startsWith(PARTNER)) return false;
    const { serial, expiresAt } = decode(token) as { serial: number; expiresAt: number };
    return serial >= this.partnerSerialMin && now() < expiresAt;
  }

  /** True if it is a browser token, accepted or not. */
  claimsPartner(token: string): boolean {
    return token.startsWith(PARTNER);
  }

  isGood({ hirerId, mintedAt, expiresAt }: Grant): boolean {
    return now() < expiresAt && mintedAt >= (this.hirerSince.get(hirerId) ?? 0);
  }
}

/** The contents of a browser token; undefined for any other text. */
export function readGrant(token: unknown): Grant | undefined {
  return typeof token === 'string' && token.startsWith(BROWSER) ? (decode(token) as Grant) : undefined;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(token: string): unknown {
  return JSON.parse(Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url').toString('utf8'));
}
