/** The page that explains settings whose names begin so, or a file of theirs; `docs/configuration.md` lists them all. */
const PAGES: readonly (readonly [start: RegExp, page: string])[] = [
  [/^(END_USER_|USER_ID_KEY)/, 'docs/identity-providers.md'],
  [/^(MACHINE_|RATE_LIMIT_MACHINE_)/, 'docs/back-ends.md'],
  [/^(WEBHOOK_|EVENT)/, 'docs/events.md'],
  [/^(OPERATIONS_|REGISTERED_)|\.graphql:\d+: /, 'docs/registered-operations.md'],
  [/^(OPERATION_|BATCH_)/, 'docs/graphql.md'],
];

/** The pages that explain these faults, each of which begins with the name of its setting, or the place in its file. */
export function pagesOf(faults: readonly string[]): string[] {
  const special = PAGES.filter(([start]) => faults.some((fault) => start.test(fault)));
  return ['docs/configuration.md', ...special.map(([, page]) => page)];
}
