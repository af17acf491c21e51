/** Bytes of a file: start and end of its format, with filler in between to reach a size. Readers do not show the filler. */
export interface FilePlan {
  readonly head: Buffer;
  readonly filler: Buffer;
  readonly tail: Buffer;
}
