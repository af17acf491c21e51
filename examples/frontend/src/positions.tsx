import { cursorPages, request, type Bff, type PageRun } from 'partner-bff-client';
import { PositionOpeningsDocument, type PositionOpeningsQuery } from './operations.ts';
import { Panel } from './panel.tsx';
import { usePageRun } from './use-page-run.ts';

/** The largest `first` that the registered operation allows. */
const PAGE_ITEMS = 20;

/** The openings of the hirer, by a registered operation: its partner token stays at the service. */
export function Positions() {
  const run = usePageRun(openPositions);
  const openings = run.pages.flatMap(({ edges }) => edges.map(({ node }) => node));
  return (
    <Panel title="Positions" run={run} count={openings.length}>
      {openings.map(({ documentId, statusCode, paginatedPositionProfiles }) => (
        <li key={documentId.value}>
          {paginatedPositionProfiles.edges[0]?.node.positionTitle ?? 'No title yet'}
          <small>{statusCode}</small>
        </li>
      ))}
    </Panel>
  );
}

function openPositions(bff: Bff, signal: AbortSignal): PageRun<PositionOpeningsQuery['positionOpenings']> {
  return cursorPages(
    bff,
    async (after, options) => {
      const { positionOpenings } = await request(
        bff,
        { query: PositionOpeningsDocument, variables: { first: PAGE_ITEMS, after } },
        options,
      );
      return positionOpenings;
    },
    signal,
  );
}
