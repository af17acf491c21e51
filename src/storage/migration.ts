/** One step of the schema, in both dialects. A step that has been released is never edited. */
export interface Migration {
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}
