import type { Seal } from '../../storage/seal.js';
import { isObject } from '../operation-request.js';
import { isUnambiguousPath } from './unambiguous-path.js';

const PURPOSE = 'attachment';

/** What a sealed link stands for. */
export interface SealedAttachment {
  /** Path and query on the upstream's origin. */
  readonly path: string;
  readonly hirerId: string;
  /** Pseudonym of the user it was made for. */
  readonly userId: string;
}

/**
 * Links to attachments that can only be used by whom they were made for, and not for long: URL, hirer, user and expiry
 * under authenticated encryption. Only attachments of the upstream's own origin, whose path nobody on the way can read
 * as another one, are ever sealed, and the path is judged again when a link is opened.
 */
export class AttachmentLinks {
  constructor(
    private readonly seal: Seal,
    private readonly origin: string,
    private readonly pattern: RegExp,
    private readonly ttlSeconds: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** The link in place of an attachment's URL; any other text as it is. */
  replace(text: string, hirerId: string, userId: string): string {
    const path = this.attachmentPath(text);
    if (path === undefined) return text;
    const expiresAt = this.now() + this.ttlSeconds * 1000;
    const sealed = this.seal.seal(JSON.stringify({ path, hirerId, userId, expiresAt }), PURPOSE);
    return `/attachments/${sealed.toString('base64url')}`;
  }

  /**
   * What a link stands for; undefined when we did not make it, it was altered, it has expired, or its path is none that
   * would be sealed today.
   */
  open(sealed: string): SealedAttachment | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.toString('base64url') !== sealed) return undefined;
    const plain = this.seal.open(bytes, PURPOSE);
    const value: unknown = plain === undefined ? undefined : JSON.parse(plain);
    if (!isObject(value)) return undefined;
    const { path, hirerId, userId, expiresAt } = value as unknown as SealedAttachment & { expiresAt: number };
    const isLive = this.now() < expiresAt;
    const isAttachment = typeof path === 'string' && this.attachmentPath(this.origin + path) === path;
    return isLive && isAttachment ? { path, hirerId, userId } : undefined;
  }

  private attachmentPath(text: string): string | undefined {
    if (!text.startsWith('http') || !URL.canParse(text)) return undefined;
    const { origin, pathname, search, username, password } = new URL(text);
    const isOurs = origin === this.origin && username === '' && password === '';
    if (!isOurs || !this.pattern.test(pathname)) return undefined;
    // As it was written: the parser takes dot segments out and turns backslashes around.
    return isUnambiguousPath(text.split(/[?#]/, 1)[0]!) ? pathname + search : undefined;
  }
}
