/** The few pieces of DER (X.690) that a certificate is made of. */

function tlv(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}

export const sequence = (...items: Buffer[]): Buffer => tlv(0x30, ...items);
export const set = (...items: Buffer[]): Buffer => tlv(0x31, ...items);
export const octets = (content: Buffer): Buffer => tlv(0x04, content);
export const bits = (content: Buffer): Buffer => tlv(0x03, Buffer.of(0), content);
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text));
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.of(value ? 0xff : 0));
/** A positive integer of these bytes. */
export const integer = (bytes: Buffer): Buffer =>
  tlv(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
/** [n] around something that has a tag of its own. */
export const explicit = (n: number, content: Buffer): Buffer => tlv(0xa0 + n, content);
/** [n] in place of the tag of something primitive. */
export const implicit = (n: number, content: Buffer): Buffer => tlv(0x80 + n, content);
/** An instant up to 2049. */
export const instant = (date: Date): Buffer =>
  tlv(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}
