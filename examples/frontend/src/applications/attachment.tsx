import { downloadAttachment } from 'partner-bff-client/attachments';
import { useBff } from 'partner-bff-client/react';
import { useEffect, useState } from 'react';
import { Fault } from '../page/fault.tsx';
import { useAction } from '../page/use-loaded.ts';
import type { ApplicationProfile } from './use-arrivals.ts';

/**
 * A file of a candidate: a text or PDF is read in the page, any is saved. The service sends files for saving, never for
 * display, so a script shows them.
 */
export function Attachment({ attachment }: { attachment: ApplicationProfile['attachments'][number] }) {
  const { url, descriptions, seekRoleCode } = attachment;
  const bff = useBff();
  const { isPending, error, run } = useAction();
  const [file, setFile] = useState<Blob | string>();
  const name = descriptions[0] ?? seekRoleCode ?? 'attachment';
  const save = async () => {
    const { blob, fileName } = await downloadAttachment(bff, url);
    const href = URL.createObjectURL(blob);
    Object.assign(document.createElement('a'), { href, download: fileName }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1_000); // not every browser has read it at once
  };
  const isText = /\.txt$/i.test(name);
  const isShown = isText || /\.pdf$/i.test(name);
  const read = async () => {
    const { blob } = await downloadAttachment(bff, url);
    setFile(isText ? await blob.text() : blob);
  };
  return (
    <div className="file">
      <span>{name}</span>
      {isShown && file === undefined && (
        <button onClick={() => run(read)} disabled={isPending} aria-label={`Read ${name}`}>
          Read
        </button>
      )}
      {file !== undefined && (
        <button onClick={() => setFile(undefined)} aria-label={`Hide ${name}`}>
          Hide
        </button>
      )}
      <button onClick={() => run(save)} disabled={isPending} aria-label={`Save ${name}`}>
        Save
      </button>
      <Fault error={error} isHere />
      {typeof file === 'string' && <p className="text">{file}</p>}
      {file instanceof Blob && <PdfViewer file={file} name={name} />}
    </div>
  );
}

/** In the browser's own viewer. The type of the document is ours to say, so that it is never taken for a page. */
function PdfViewer({ file, name }: { file: Blob; name: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([file], { type: 'application/pdf' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return <iframe src={url} title={name} />;
}
