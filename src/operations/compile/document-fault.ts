/** A fault in the text of a registered operation, and its line. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';

  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }

  /** At the place of a node of the text. */
  static at(
    node: { readonly loc?: { readonly startToken: { readonly line: number } } | undefined },
    message: string,
  ) {
    return new DocumentFault(message, node.loc?.startToken.line ?? 1);
  }
}
