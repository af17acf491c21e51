import { keys } from '../secret-setting.js';
import { integer, text, url, type Setting } from '../setting.js';

/** Settings of what is stored, here or in servers that replicas share. */
export const STORAGE = {
  DATABASE_URL: url(['postgres', 'postgresql'], {
    fallback: undefined,
    fallbackText: 'none: embedded SQLite in `DATA_DIR`',
    text: 'PostgreSQL 15 or later. Needed to run more than one replica.',
  }),
  DATA_DIR: text({
    fallback: './data',
    text: 'Folder of the embedded database and of the keys generated in playground mode.',
  }),
  REDIS_URL: url(['redis', 'rediss'], {
    fallback: undefined,
    fallbackText: 'none: in memory',
    text: 'Redis in which replicas share sealed tokens and rate limits.',
  }),
  SEALING_KEY: keys({
    fallback: [],
    fallbackText: 'generated and kept in `DATA_DIR` in playground mode, else required',
    text: 'Key that seals tokens in Redis and attachment links.',
  }),
  AUDIT_RETENTION_DAYS: integer(
    { min: 0, max: 36_500, unit: 'days; 0 keeps everything' },
    { fallback: 400, text: 'Age at which audit records are removed.' },
  ),
} as const satisfies Record<string, Setting<unknown>>;
