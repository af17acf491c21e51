/** The script of the page of `attachments.page.test.ts`: files onto a disk, which is the page's own file system. */
import {
  downloadAttachment,
  saveAttachment,
  type DownloadOptions,
  type Progress,
} from '../src/attachments.js';
import { Bff, type BffError, type BffOptions } from '../src/client.js';

/** How a download ends early. */
export type End = 'abort' | 'switch';

/** The view that the tests have of a download. */
export interface Outcome {
  readonly progress: readonly Progress[];
  readonly error: { readonly name: string; readonly code: string | undefined } | undefined;
  /** The files on the disk. */
  readonly files: readonly (readonly [name: string, bytes: readonly number[]])[];
}

/** The functions that the tests call. */
export class AttachmentsPage {
  private readonly bff: Bff;

  constructor({ userToken, ...options }: Pick<BffOptions, 'url' | 'hirerId'> & { userToken: string }) {
    this.bff = new Bff({ ...options, getUserToken: () => userToken });
    // Its dialog cannot be driven. Like the browser's, this one makes an empty file.
    const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }): Promise<unknown> =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    Object.assign(globalThis, { showSaveFilePicker });
  }

  /** Saves a file; `end` ends this when the first bytes have come. */
  save(link: string, end?: End): Promise<Outcome> {
    return this.run(end, (options) => saveAttachment(this.bff, link, 'saved', options));
  }

  /** Loads a file into memory. */
  download(link: string, end?: End): Promise<Outcome> {
    return this.run(end, (options) => downloadAttachment(this.bff, link, options));
  }

  private async run(
    end: End | undefined,
    work: (options: DownloadOptions) => Promise<unknown>,
  ): Promise<Outcome> {
    const controller = new AbortController();
    const progress: Progress[] = [];
    const onProgress = (seen: Progress): void => {
      progress.push(seen);
      if (end === 'abort') controller.abort();
      if (end === 'switch') this.bff.switchHirer(undefined);
    };
    const error = await work({ onProgress, signal: controller.signal }).then(
      () => undefined,
      ({ name, code }: BffError) => ({ name, code }),
    );
    return { progress, error, files: await readFiles() };
  }
}

async function readFiles(): Promise<[string, number[]][]> {
  const files: [string, number[]][] = [];
  for await (const [name, handle] of await navigator.storage.getDirectory()) {
    const file = await (handle as FileSystemFileHandle).getFile();
    files.push([name, [...new Uint8Array(await file.arrayBuffer())]]);
  }
  return files;
}

Object.assign(globalThis, { AttachmentsPage });
