/** A method of AMQP 0-9-1 as a frame; the parts of its arguments are hex digits. */
export function method(
  classId: number,
  methodId: number,
  parts: readonly string[] = [],
  channel = 0,
): Buffer {
  const ids = Buffer.alloc(4);
  ids.writeUInt16BE(classId, 0);
  ids.writeUInt16BE(methodId, 2);
  return frame(1, Buffer.concat([ids, Buffer.from(parts.join(''), 'hex')]), channel);
}

export function frame(type: number, payload: Buffer, channel = 0): Buffer {
  const head = Buffer.alloc(7);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([0xce])]);
}

/** What a broker says until the connection is open. */
export const START = method(10, 10, ['0009', '00000000', longText('PLAIN'), longText('en_US')]);
export const TUNE = method(10, 30, ['0000', '00020000', '0000']);
export const OPEN_OK = method(10, 41, ['00']);

function longText(text: string): string {
  return Buffer.from(`\0\0\0${String.fromCharCode(text.length)}${text}`).toString('hex');
}
