/** The description of a file, without its content. */
export interface FileHead {
  /** The name that the upstream gives it, without any folder. */
  readonly fileName: string;
  readonly contentType: string;
}

/**
 * The path of a sealed link. Anything else is refused: the request carries a token.
 * @param url address of the service
 */
export function pathOf(url: string, link: string): string {
  const base = url.replace(/\/$/, '');
  const path = link.startsWith(`${base}/`) ? link.slice(base.length) : link;
  if (!/^\/attachments\/[\w-]+$/.test(path)) throw new TypeError('This is not a link to an attachment.');
  return path;
}

/** The file that an answer holds. */
export function fileOf({ headers }: Response): FileHead {
  return {
    fileName: fileNameOf(headers.get('content-disposition') ?? ''),
    contentType: headers.get('content-type') ?? 'application/octet-stream',
  };
}

/** The file name of a `Content-Disposition` (RFC 6266), the encoded one first, without any folder or control character. */
function fileNameOf(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename="?([^";]+)"?/i.exec(disposition)?.[1] ?? '';
  const path = encoded === undefined ? plain : decode(encoded);
  const name = path
    .split(/[\\/]/)
    .at(-1)!
    .replaceAll(/\p{Cc}/gu, '');
  return /^\.*$/.test(name) ? 'attachment' : name;
}

/** A name that was not encoded as it should be is taken as it came. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
