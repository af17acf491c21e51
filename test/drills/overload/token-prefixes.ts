/** How tokens of the drill's upstream begin; neither may stand in the log. */
export const TOKEN_PREFIXES = { partner: 'drill-issued-', browser: 'drill-minted-' } as const;
