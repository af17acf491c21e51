import type { DialectName } from './dialect.js';

/** One step of the schema, in every dialect. A step that has been released is never edited. */
export interface Migration extends Readonly<Record<DialectName, string>> {
  readonly name: string;
  /** The lowest `StoreVersion.format` that can use a store after this step: such versions need not know the step. */
  readonly oldestFormat: number;
}
