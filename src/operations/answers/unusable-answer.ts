/** An answer that is not shown, although it may be JSON: of another form than was selected, or too much of something. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';

  /** @param reason for the log; quotes nothing of the answer */
  constructor(reason: string) {
    super(`the answer has ${reason}`);
  }
}
