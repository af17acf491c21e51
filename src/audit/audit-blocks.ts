/** Where users and hirers are indexed within blocks, each holds 1,024 records (migration 0040). */
export const BLOCK_BITS = 10;
const BLOCK_RECORDS = 2 ** BLOCK_BITS;
const BLOCKS_MAX = 64;

/** The blocks of the records from `last` down to `first`, latest first: one, two, four and at most 64 at a time. */
export function* blocksDownFrom(last: number, first: number): Generator<readonly number[]> {
  const end = Math.floor(first / BLOCK_RECORDS);
  let block = Math.floor(last / BLOCK_RECORDS);
  for (let count = 1; block >= end; count = Math.min(2 * count, BLOCKS_MAX)) {
    const length = Math.min(count, block - end + 1);
    const top = block;
    yield Array.from({ length }, (_, index) => top - index);
    block -= length;
  }
}
