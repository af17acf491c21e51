import { readFileSync } from 'node:fs';

const TABLES = JSON.parse(readFileSync(new URL('./tables.json', import.meta.url), 'utf8')) as Record<
  string,
  unknown
>;

/** One of the tables of what every world is made up of, whatever its seed. */
export function readTable<T>(name: string): T {
  return TABLES[name] as T;
}
