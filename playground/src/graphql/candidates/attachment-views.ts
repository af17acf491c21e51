import type { Attachment } from '../../data/records.js';
import type { Context } from '../context.js';

/** The members of the superseded enum. */
const ROLES = { CoverLetter: 'COVER_LETTER', Resume: 'RESUME', SelectionCriteria: 'SELECTION_CRITERIA' };

/** Attachment of the schema, with an address on the upstream's own origin. */
export function attachmentView(attachment: Attachment, { baseUrl }: Context): object {
  const last = (id: string): string => id.slice(id.lastIndexOf(':') + 1);
  const { id, profileId, fileName, roleCode } = attachment;
  return {
    id: { value: id },
    descriptions: [fileName],
    url: `${baseUrl}/anzPublicTest/applications/${last(profileId)}/attachments/${last(id)}`,
    seekRoleCode: roleCode,
    seekRole: roleCode === null ? null : ROLES[roleCode],
  };
}
