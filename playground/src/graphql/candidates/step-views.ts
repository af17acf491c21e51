import type { ProcessAction, ProcessParty } from '../../data/candidates/candidate-records.js';
import { contactView } from '../people/person-views.js';

/** CandidateProcessAction of the schema. */
export function actionView({ code, name, description, url }: ProcessAction): object {
  return { code, name, description, seekUrl: url === null ? null : { url } };
}

/** CandidateProcessParty of the schema. */
export function partyView({ person, organization }: ProcessParty): object {
  return {
    person: person === null ? null : contactView(person),
    organization: organization === null ? null : { name: organization },
  };
}
