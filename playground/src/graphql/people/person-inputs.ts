import type { Address, Person } from '../../data/candidates/people.js';
import type { Contact } from '../../data/positions/position-records.js';
import { invalid } from '../errors.js';
import { assertCount, assertEachOneOf, assertLength, assertOneOf, assertText } from '../input-checks.js';

const NAME_CHARACTERS_MAX = 255;
const EMAIL_BYTES_MAX = 255;
const WAYS_MAX = 5;
const CONTACTS_MAX = 10;
const ROLES = ['HiringManager', 'Recruiter'];

/** The person of an input, once its texts and lists are checked. */
export function readPerson({ name, communication }: Person, field: string): Person {
  assertText(name.formattedName, NAME_CHARACTERS_MAX, `${field}.name.formattedName`);
  const { email, phone } = communication;
  const address = communication.address ?? [];
  assertCount(email, 0, WAYS_MAX, `${field}.communication.email`);
  assertCount(phone, 0, WAYS_MAX, `${field}.communication.phone`);
  assertCount(address, 0, WAYS_MAX, `${field}.communication.address`);
  for (const [index, one] of email.entries()) {
    assertEmail(one.address, `${field}.communication.email[${String(index)}].address`);
  }
  for (const [index, one] of address.entries()) {
    checkAddress(one, `${field}.communication.address[${String(index)}]`);
  }
  return { name, communication: { ...communication, address } };
}

/** Throws unless a text can be an e-mail address. */
export function assertEmail(address: string, field: string): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw invalid(field, 'must be an e-mail address');
  if (Buffer.byteLength(address) > EMAIL_BYTES_MAX) {
    throw invalid(field, `must have at most ${String(EMAIL_BYTES_MAX)} bytes`);
  }
}

/** Throws unless the parts of an address are of known types and not too long. */
export function checkAddress(input: Address, field: string): void {
  assertCount(input.countrySubDivisions, 0, WAYS_MAX, `${field}.countrySubDivisions`);
  assertCount(input.extendedLines, 0, WAYS_MAX, `${field}.extendedLines`);
  assertEachOneOf(
    input.countrySubDivisions.map(({ type }) => type),
    ['State'],
    `${field}.countrySubDivisions`,
  );
  assertEachOneOf(
    input.extendedLines.map(({ type }) => type),
    ['Apartment'],
    `${field}.extendedLines`,
  );
  assertLength(input.formattedAddress, 1_000, `${field}.formattedAddress`);
  assertLength(input.postalCode, 50, `${field}.postalCode`);
  if (!/^[A-Z]{2}$/.test(input.countryCode)) {
    throw invalid(`${field}.countryCode`, 'must be two capital letters');
  }
}

/** The contacts of a position opening: each has an e-mail address and a role. */
export function readContacts(contacts: readonly Contact[], field: string): Contact[] {
  assertCount(contacts, 1, CONTACTS_MAX, field);
  return contacts.map((contact, index) => {
    const path = `${field}[${String(index)}]`;
    assertCount(contact.communication.email, 1, WAYS_MAX, `${path}.communication.email`);
    if (contact.roleCode == null) throw invalid(`${path}.roleCode`, 'is required');
    return readContact(contact, path);
  });
}

/** A person in a role, or in none. */
export function readContact(contact: Contact, field: string): Contact {
  const { roleCode } = contact;
  if (roleCode != null) assertOneOf(roleCode, ROLES, `${field}.roleCode`);
  return { ...readPerson(contact, field), ...(roleCode != null && { roleCode }) };
}
