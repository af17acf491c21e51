import { createAttachmentLink } from 'partner-bff-client/attachments';
import { useBff } from 'partner-bff-client/react';
import { useEffect, useRef, useState, useTransition } from 'react';
import { Fault } from '../page/fault.tsx';
import { useTexts } from '../texts.ts';
import { readFile, type ReadableFile } from './read-file.ts';
import type { ApplicationProfile } from './use-arrivals.ts';

/** A file of a candidate, read in the page or saved: by a link that works once, made when it is clicked. */
export function Attachment({ attachment }: { attachment: ApplicationProfile['attachments'][number] }) {
  const { url, descriptions, seekRoleCode } = attachment;
  const { t } = useTexts();
  const bff = useBff();
  const [isPending, startTransition] = useTransition();
  const [error, setError] = useState<unknown>();
  const [file, setFile] = useState<ReadableFile | 'unreadable'>();
  const name = descriptions[0] ?? seekRoleCode ?? 'attachment';
  const run = (work: () => Promise<void>) => () =>
    startTransition(async () => {
      setError(undefined);
      await work().catch(setError);
    });
  const save = run(async () => {
    window.location.assign((await createAttachmentLink(bff, url)).url); // it is sent for saving, so the page stays
  });
  const read = run(async () => {
    const link = await createAttachmentLink(bff, url);
    setFile((await readFile(link.url, bff.session.signal)) ?? 'unreadable');
  });
  return (
    <div className="file">
      <span>{name}</span>
      {file === undefined ? (
        <button onClick={read} disabled={isPending} aria-label={t('readFile', { name })}>
          {t('read')}
        </button>
      ) : (
        <button onClick={() => setFile(undefined)} aria-label={t('hideFile', { name })}>
          {t('hide')}
        </button>
      )}
      <button onClick={save} disabled={isPending} aria-label={t('saveFile', { name })}>
        {t('saveShort')}
      </button>
      {file === 'unreadable' && <small role="status">{t('unreadable')}</small>}
      <Fault error={error} isHere />
      {typeof file === 'object' && <Viewer file={file} name={name} />}
    </div>
  );
}

/**
 * The file in a frame. Text is in a sandboxed one, as text, so that nothing that a candidate wrote runs. Browsers show no
 * PDF in a sandbox; it is in a document of its own, whose type is ours to say, so that it is never taken for a page.
 */
function Viewer({ file, name }: { file: ReadableFile; name: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (file.kind !== 'pdf') return undefined;
    const url = URL.createObjectURL(file.blob);
    frame.current!.src = url;
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return file.kind === 'pdf' ? (
    <iframe ref={frame} title={name} />
  ) : (
    <iframe sandbox="" title={name} srcDoc={pageOf(file.text)} />
  );
}

function pageOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const style =
    ':root{color-scheme:light dark}body{font:15px/1.5 system-ui;white-space:pre-wrap;overflow-wrap:anywhere}';
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${escaped}`;
}
