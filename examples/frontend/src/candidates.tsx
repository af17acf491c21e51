import { batch, pages, type Bff } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useCallback } from 'react';
import applications from './applications.json';
import { Attachment } from './attachment.tsx';
import { ApplicationDocument, type ApplicationQuery } from './operations.ts';
import { Panel } from './panel.tsx';
import { usePageRun } from './use-page-run.ts';

/** How many operations one array may hold: the service's BATCH_LIMIT. */
const PAGE_ITEMS = 10;

/**
 * The applications to a hirer, ten in a request, in the order of the list. Which ones there are, your back end knows from
 * the events it has received; here a file stands in for it.
 */
export function Candidates({ hirerId }: { hirerId: string }) {
  const { language } = useBff();
  const ids = (applications as Partial<Record<string, string[]>>)[hirerId] ?? [];
  const open = useCallback((bff: Bff, signal: AbortSignal) => openCandidates(bff, ids, signal), [ids]);
  const run = usePageRun(open);
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const shown = run.pages.flat();
  return (
    <Panel title="Candidates" run={run} count={shown.length} total={ids.length}>
      {shown.map((profile, at) => (
        <li key={at}>
          {profile ? (
            <>
              {profile.candidate.person.name.formattedName}
              <small>
                {profile.associatedPositionProfile?.positionTitle},{' '}
                {date.format(new Date(profile.createDateTime))}
              </small>
              {profile.attachments.map((attachment) => (
                <Attachment key={attachment.id.value} attachment={attachment} />
              ))}
            </>
          ) : (
            <span className="soft">This application is no longer available.</span>
          )}
        </li>
      ))}
    </Panel>
  );
}

function openCandidates(bff: Bff, ids: readonly string[], signal: AbortSignal) {
  return pages(bff, {
    items: ids,
    limit: PAGE_ITEMS,
    signal,
    load: async (page, options) => {
      const operations = page.map((id) => ({ query: ApplicationDocument, variables: { id } }));
      const results = await batch(bff, operations, options);
      // one that fails alone leaves the others; a page of which nothing came is tried again
      if (results.every(({ error }) => error)) throw results[0]!.error!;
      return results.map(({ data }) => (data as ApplicationQuery | null | undefined)?.candidateProfile);
    },
  });
}
