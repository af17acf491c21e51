import { createAttachmentLink, saveAttachment } from 'partner-bff-client/attachments';
import { useBff } from 'partner-bff-client/react';
import { useState, useTransition } from 'react';
import { Fault } from './fault.tsx';
import type { ApplicationQuery } from './operations.ts';

type File = NonNullable<ApplicationQuery['candidateProfile']>['attachments'][number];

/** A file of a candidate: saved with progress, or opened by a link that works once. */
export function Attachment({ attachment: { url, descriptions, seekRoleCode } }: { attachment: File }) {
  const bff = useBff();
  const [isPending, startTransition] = useTransition();
  const [loadedBytes, setLoadedBytes] = useState(0);
  const [error, setError] = useState<unknown>();
  const name = descriptions[0] ?? seekRoleCode ?? 'attachment';
  const run = (work: () => Promise<void>) => () =>
    startTransition(async () => {
      setLoadedBytes(0);
      setError(undefined);
      await work().catch(setError);
    });
  const save = run(() =>
    saveAttachment(bff, url, name, { onProgress: (progress) => setLoadedBytes(progress.loadedBytes) }),
  );
  const open = run(async () => {
    const link = await createAttachmentLink(bff, url); // when it is clicked: it lasts for a minute
    window.open(link.url, '_blank', 'noopener');
  });
  return (
    <div className="file">
      <span>{name}</span>
      <button onClick={save} disabled={isPending} aria-label={`Save ${name}`}>
        Save
      </button>
      <button onClick={open} disabled={isPending} aria-label={`Open ${name}`}>
        Open
      </button>
      {loadedBytes > 0 && <small role="status">{Math.ceil(loadedBytes / 1000)} kB</small>}
      <Fault error={error} />
    </div>
  );
}
