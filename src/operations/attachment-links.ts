import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { LINK_CHARACTERS_MAX } from '../http/incoming/listener.js';
import type { Caller, Member } from '../http/end-user.js';
import { Seal } from '../storage/seal.js';

const PURPOSE = 'attachment';

/** In a link's place of a user: any machine may open it, and no user. No pseudonym reads like this. */
const MACHINES = 'machines';

/** What a link leads to. */
export interface SealedAttachment {
  /** Path and query on the upstream's origin. */
  readonly path: string;
  readonly hirerId: string;
  /** Until the link expires. */
  readonly leftMs: number;
}

interface SealedContent extends Pick<SealedAttachment, 'path' | 'hirerId'> {
  readonly userId: string;
  readonly expiresAt: number;
}

type LinkSettings = Pick<Config, 'UPSTREAM_URL' | 'ATTACHMENT_PATH_PATTERN' | 'ATTACHMENT_TTL_SECONDS'>;

/**
 * Links to attachments that only the user they were made for can use, or any machine, and only for a short time: path,
 * hirer, user and expiry under authenticated encryption. Only attachments of the upstream's own origin are sealed, with
 * a path that every server reads in the same way.
 */
@Injectable()
export class AttachmentLinks {
  private readonly seal: Seal;
  private readonly origin: string;

  constructor(
    @Inject(CONFIG) private readonly config: LinkSettings,
    @Inject(Secrets) secrets: { readonly current: Pick<Config, 'SEALING_KEY'> },
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.seal = new Seal(() => secrets.current.SEALING_KEY, 'attachments');
    this.origin = config.UPSTREAM_URL!.origin;
  }

  /** The link in place of an attachment's URL; any other text as it is, and a URL whose link no listener would take. */
  replace(text: string, member: Pick<Member, keyof Caller | 'hirerId'>): string {
    const path = this.attachmentPath(text);
    if (path === undefined) return text;
    const expiresAt = this.now() + this.config.ATTACHMENT_TTL_SECONDS * 1000;
    const plain = JSON.stringify({ path, hirerId: member.hirerId, userId: readerOf(member), expiresAt });
    const sealed = this.seal.seal(plain, PURPOSE).toString('base64url');
    return sealed.length <= LINK_CHARACTERS_MAX ? `/attachments/${sealed}` : text;
  }

  /**
   * The content of a link. Undefined for one of another reader, for one that is not ours, was altered or has expired, and
   * for one whose path would not be sealed today.
   */
  open(sealed: string, reader: Caller): SealedAttachment | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.toString('base64url') !== sealed) return undefined;
    const plain = this.seal.open(bytes, PURPOSE);
    if (plain === undefined) return undefined;
    const { path, hirerId, userId, expiresAt } = JSON.parse(plain) as SealedContent;
    const leftMs = expiresAt - this.now();
    if (userId !== readerOf(reader) || !(leftMs > 0)) return undefined;
    const isAttachment = typeof path === 'string' && this.attachmentPath(this.origin + path) === path;
    return isAttachment ? { path, hirerId, leftMs } : undefined;
  }

  private attachmentPath(text: string): string | undefined {
    const url = text.length <= LINK_CHARACTERS_MAX && text.startsWith('http') ? URL.parse(text) : null;
    if (!url) return undefined;
    const { origin, pathname, search, username, password } = url;
    const isOurs = origin === this.origin && username === '' && password === '';
    if (!isOurs || !this.config.ATTACHMENT_PATH_PATTERN.test(pathname)) return undefined;
    // The text as written: the URL parser removes dot segments and turns backslashes into slashes.
    return isUnambiguousPath(text.split(/[?#]/, 1)[0]!) ? pathname + search : undefined;
  }
}

function readerOf({ userId, isMachine }: Caller): string {
  return isMachine ? MACHINES : userId;
}

/**
 * Segments that every server reads as the same ones, however often it decodes them: none is empty, or means "here" or
 * "above", also with parameters (RFC 3986, 3.3); without a backslash, white space or control characters; and nothing is
 * encoded, or encoded twice, that would be a slash, a backslash or a dot.
 */
const SEGMENTS =
  /^(?:\/(?!\.{1,2}(?:(?:;|%3b)[^/]*)?(?:\/|$))(?:[^\s\\%/\x00-\x1f\x7f]|%(?!25[\da-f%]|2[ef]|5c|[01]|7f)[\da-f]{2})+)+\/?$/i;

/** @param text a URL up to its path, as it is written */
function isUnambiguousPath(text: string): boolean {
  const path = text.replace(/^https?:\/\/[^/\\]*/, '');
  try {
    return SEGMENTS.test(path) && decodeURIComponent(path) !== '';
  } catch {
    return false; // not UTF-8: an overlong form of a dot or a slash
  }
}
