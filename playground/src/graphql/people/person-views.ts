import type { Person } from '../../data/candidates/people.js';
import type { Contact } from '../../data/positions/position-records.js';

/** CandidatePerson of the schema, and what SpecifiedPerson has in common with it. */
export function personView(person: Person): object {
  const { formattedName, given, family, emails, phones, addresses, doNotContact } = person;
  return {
    name: { formattedName, given, family },
    communication: {
      email: emails.map((address) => ({ address })),
      phone: phones.map((formattedNumber) => ({ formattedNumber })),
      address: addresses,
      seekDoNotContactIndicator: doNotContact,
    },
  };
}

/** SpecifiedPerson of the schema. */
export function contactView(contact: Contact): object {
  return { ...personView(contact), roleCode: contact.roleCode };
}
