/** One step of the schema, in both dialects. A step that has been released is never edited. */
export interface Migration {
  readonly name: string;
  /** The lowest `StoreVersion.format` that can use a store after this step: such versions need not know the step. */
  readonly oldestFormat: number;
  readonly sqlite: string;
  readonly postgres: string;
}
