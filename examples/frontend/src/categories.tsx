import { pages, request, type Bff } from 'partner-bff-client';
import { Panel } from './panel.tsx';
import { usePageRun } from './use-page-run.ts';

/** `seekAnz` at a real upstream. */
const SCHEME_ID = 'seekAnzPublicTest';
const QUERY =
  'query JobCategories($schemeId: String!) { jobCategories(schemeId: $schemeId) { id { value } name } }';

interface Answer {
  readonly jobCategories: readonly { readonly id: { readonly value: string }; readonly name: string }[];
}

/** Job categories in the user's language, from the upstream itself with a browser token. */
export function Categories() {
  const run = usePageRun(openCategories);
  const categories = run.pages.flatMap(({ jobCategories }) => jobCategories);
  return (
    <Panel title="Job categories" run={run} count={categories.length}>
      {categories.map(({ id, name }) => (
        <li key={id.value}>{name}</li>
      ))}
    </Panel>
  );
}

/** One scheme, one page. */
function openCategories(bff: Bff, signal: AbortSignal) {
  return pages(bff, {
    items: [SCHEME_ID],
    limit: 1,
    signal,
    load: ([schemeId], options) =>
      request<Answer, object>(bff, { query: QUERY, variables: { schemeId } }, options),
  });
}
