import { StoreError } from '../../errors/store-error.js';
import type { Database } from '../database.js';
import { readMarks } from '../migrate.js';
import { driverError, refusalOfServer } from '../postgres/reach-server.js';
import type { CopiedTable, TableContent } from './copied-table.js';
import { CopyFault } from './copy-fault.js';
import { lastNumbers, openSource, tablesOf } from './copy-source.js';
import { CopyTarget, expectThisVersion } from './copy-target.js';

/** What is copied, and how it is reported. */
export interface CopyOptions {
  /** The folder of the embedded database. */
  readonly from: string;
  readonly to: URL;
  /** Everything is checked and counted, and nothing written. */
  readonly dryRun: boolean;
  /** Called for each table once it is copied. */
  readonly onTable: (table: string, rows: number) => void;
}

/** A table of the store. */
export interface TableReport {
  readonly table: string;
  readonly rows: number;
  /** Of its rows, the same in both stores; not reckoned by a dry run. */
  readonly sha256?: string;
}

/** What a copy did, or would do. */
export interface CopyReport {
  /** True if an earlier run had begun it. */
  readonly resumed: boolean;
  readonly tables: readonly TableReport[];
}

/**
 * Copies the embedded database into that of a server, which is empty or holds half of this copy. The source is locked
 * meanwhile, and keeps its content. Rows are copied in steps, each a transaction, in the order of their keys, so that a
 * run goes on where one that was killed ended; at the end every row is read again in both, and compared.
 * @throws CopyFault, ConfigError, UnavailableError
 */
export async function copyStore({ from, to, dryRun, onTable }: CopyOptions): Promise<CopyReport> {
  const source = await openSource(from);
  try {
    const { applied, oldestFormat } = await readMarks(source);
    expectThisVersion(applied, `The store in ${from}`);
    const tables = await tablesOf(source);
    const target = await CopyTarget.open(to);
    try {
      const resumed = await target.isBegun(tables);
      if (dryRun) {
        return { resumed, tables: await Promise.all(tables.map((table) => counted(source, table))) };
      }
      if (!resumed) await target.begin();
      for (const table of tables) onTable(table.name, await copyTable(source, target, table));
      return { resumed, tables: await finish(source, target, tables, oldestFormat) };
    } catch (error) {
      throw refusalOfServer(driverError(error)) ?? interruption(error);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** A database that failed meanwhile; any other error as it is. */
function interruption(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const { code = error.message } = (error.cause ?? {}) as { code?: string };
  return new CopyFault(
    `The copy is not finished: a database failed (${code}). Run the command again; it goes on.`,
  );
}

async function counted(source: Database, table: CopiedTable): Promise<TableReport> {
  return { table: table.name, rows: await table.count(source) };
}

/** @returns how many rows were copied by this run */
async function copyTable(source: Database, target: CopyTarget, table: CopiedTable): Promise<number> {
  let copied = 0;
  let last = await target.step((tx) => table.last(tx));
  for (;;) {
    const rows = await table.page(source, last);
    if (rows.length === 0) return copied;
    await target.step((tx) => table.insert(tx, rows));
    copied += rows.length;
    last = rows.at(-1);
  }
}

/** In one transaction: what was compared is what a service then finds. */
async function finish(
  source: Database,
  target: CopyTarget,
  tables: readonly CopiedTable[],
  oldestFormat: number | undefined,
): Promise<TableReport[]> {
  const contents: [CopiedTable, TableContent][] = [];
  for (const table of tables) contents.push([table, await table.content(source)]);
  const numbers = await lastNumbers(source);
  await target.step(async (tx) => {
    for (const [table, content] of contents) expectEqual(table.name, content, await table.content(tx));
    await target.finish(tx, numbers, oldestFormat);
  });
  return contents.map(([{ name }, content]) => ({ table: name, ...content }));
}

function expectEqual(table: string, source: TableContent, target: TableContent): void {
  if (source.rows === target.rows && source.sha256 === target.sha256) return;
  throw new CopyFault(
    `The copy is not finished: ${table} has ${source.rows} rows in the source and ${target.rows} in the database of DATABASE_URL, or others. The source was used since the copy began, or it is another one. Drop that database, create it again, and repeat the copy.`,
  );
}
