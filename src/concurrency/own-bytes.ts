/**
 * A copy for a cache to keep, in memory of its own. A slice keeps everything in memory that it was cut from, and a small
 * buffer of Node's is a slice of a pool of 8 KiB.
 */
export function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
