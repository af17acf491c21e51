/** Why a store is not copied, or not as a whole, in a sentence that says what to do. */
export class CopyFault extends Error {
  override readonly name = 'CopyFault';
}
