import type { Reading } from './setting.js';

/** One entry of `MACHINE_SUBJECTS`. */
interface MachineSubject {
  /** Undefined where the entry names none: the first issuer is meant. */
  readonly issuer: string | undefined;
  /** `sub` of the machine's token. */
  readonly subject: string;
}

const SUBJECT_BYTES_MAX = 255;
const SEPARATOR = '#'; // no issuer holds it: an issuer is a URL without a fragment (OpenID Connect Core section 2)

/** Reads `subject` or `issuer#subject`; what follows the first `#` is the subject. */
export function readMachineSubject(entry: string): Reading<MachineSubject> {
  const at = entry.indexOf(SEPARATOR);
  const issuer = at < 0 ? undefined : entry.slice(0, at);
  const subject = entry.slice(at + 1);
  const fits = subject !== '' && Buffer.byteLength(subject) <= SUBJECT_BYTES_MAX;
  return issuer !== '' && fits
    ? { value: { issuer, subject } }
    : { fault: 'must be a subject of 1 to 255 bytes, or issuer#subject' };
}
