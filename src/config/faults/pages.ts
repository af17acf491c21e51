/** The page that explains the settings whose names begin so; `docs/configuration.md` lists them all. */
const PAGES: readonly (readonly [start: RegExp, page: string])[] = [
  [/^(END_USER_|USER_ID_KEY)/, 'docs/identity-providers.md'],
  [/^(MACHINE_|RATE_LIMIT_MACHINE_)/, 'docs/machines.md'],
  [/^(WEBHOOK_|EVENT)/, 'docs/webhooks.md'],
  [/^(OPERATION|BATCH_|REGISTERED_)/, 'docs/proxy.md'],
];

/** The pages that explain the settings of these faults, each of which begins with the name of its setting. */
export function pagesOf(faults: readonly string[]): string[] {
  const special = PAGES.filter(([start]) => faults.some((fault) => start.test(fault)));
  return ['docs/configuration.md', ...special.map(([, page]) => page)];
}
