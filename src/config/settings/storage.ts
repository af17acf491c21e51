import { KEY, readKeys } from '../values/keys.js';
import { integer, setting, text, url, type Setting } from '../values/setting.js';
import { isDecodable } from '../values/url-forms.js';

/** Settings of what is stored, here or in servers that replicas share. */
export const STORAGE = {
  DATABASE_URL: url(
    ['postgres', 'postgresql'],
    {
      fallback: undefined,
      fallbackText: 'none: embedded SQLite in `DATA_DIR`',
      text: 'PostgreSQL 15 or later. Needed to run more than one replica.',
    },
    databaseUrlFault,
  ),
  DATA_DIR: text({
    fallback: './data',
    text: 'Folder of the embedded database and of the keys generated in playground mode.',
  }),
  REDIS_URL: url(
    ['redis', 'rediss'],
    {
      fallback: undefined,
      fallbackText: 'none: in memory',
      text: 'Redis in which replicas share sealed tokens and rate limits. Replicas that need the same token at the same moment each request one.',
    },
    redisUrlFault,
  ),
  SEALING_KEY: setting(`${KEY}; the previous one may follow after a comma`, readKeys, {
    fallback: [],
    secret: true,
    fallbackText: 'generated and kept in `DATA_DIR` in playground mode, else required',
    text: 'Key that seals tokens in Redis and attachment links.',
  }),
  AUDIT_RETENTION_DAYS: integer(0, 36_500, 'days; 0 keeps everything', {
    fallback: 400,
    text: 'Age at which audit records are removed.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** A fault of the URL on which node-postgres would fail at each connection. */
function databaseUrlFault({ searchParams }: URL): string | undefined {
  return /^\d*$/.test(searchParams.get('port') ?? '') ? undefined : 'holds a port that is not a number';
}

/** A fault of the URL on which node-redis would fail. */
function redisUrlFault({ hostname, pathname, username, password }: URL): string | undefined {
  if (hostname === '' || !/^\/?\d*$/.test(pathname)) {
    return 'must name a host, and no path but the number of a database';
  }
  return [username, password].every(isDecodable) ? undefined : 'holds malformed percent-encoding';
}
