import { request, type Bff } from 'partner-bff-client';
import { PostPositionDocument } from '../operations.ts';
import { positionProfileOf, type Draft } from './draft.ts';

/**
 * Posts an ad under a new opening; returns its identifier. The upstream posts it after its answer: an event tells whether
 * it succeeded. That an earlier attempt has posted it already is a success too.
 */
export async function postAd(bff: Bff, draft: Draft, contactName: string): Promise<string> {
  const hirerId = bff.hirerId!;
  const contact = {
    name: { formattedName: contactName },
    communication: { email: [{ address: draft.email }], phone: [] },
    roleCode: 'Recruiter',
  };
  const input = {
    positionOpening: { postingRequester: { id: hirerId, roleCode: 'Company', personContacts: [contact] } },
    positionProfile: positionProfileOf(draft, hirerId),
  };
  const { postPosition } = await request(bff, { query: PostPositionDocument, variables: { input } });
  const { profileId } =
    postPosition.__typename === 'PostPositionPayload_Success'
      ? postPosition.positionProfile
      : postPosition.conflictingPositionProfile;
  return profileId.value;
}
