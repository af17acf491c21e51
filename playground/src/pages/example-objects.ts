import type { World } from '../data/world.js';

/** Variables of one operation. */
export type Variables = Readonly<Record<string, unknown>>;

/** The scheme of the market objects in the examples. */
export const MARKET = 'seekAnzPublicTest';
/** A location without smaller ones in it. */
export const LOCATION = `${MARKET}:location:seek:2FqwWaaMV`;
/** A job category without children. */
export const CATEGORY = `${MARKET}:jobCategory:seek:2EFstqFvP`;
/** The hirer of the examples, which has every relationship with the partner. */
export const HIRER = `${MARKET}:organization:seek:93WyyF1h`;
/** A live ad of the hirer. */
export const LIVE_AD = `${MARKET}:positionProfile:jobAd:2782PZfXV`;
/** Another live ad of the hirer. */
export const OTHER_LIVE_AD = `${MARKET}:positionProfile:jobAd:27cuZeA47`;
/** A questionnaire of the hirer. */
export const QUESTIONNAIRE = `${MARKET}:applicationQuestionnaire:rrv2:SqFmkV8S2dMipyqbHjD9Mr`;
/** A branding of the hirer. */
export const BRANDING = 'globalPublicTest:advertisementBranding:hirerBranding:37EWfWxhwVEGTT5BcjfE2L';
/** A candidate whom the partner uploaded for the hirer, with a step of a hiring process. */
export const UPLOADED = 'globalPublicTest:candidate:uploaded:12uNaG7vqgW6G1jG7qp7ha';

/** Identifiers of the hirer's objects that differ from one world to the next. */
export interface Found {
  /** The opening of the live ad. */
  readonly postedOpening: string;
  /** An opening without profiles. */
  readonly emptyOpening: string;
  readonly unposted: string;
  readonly uploadedProfile: string;
  readonly step: string;
}

/** Looks the identifiers up. */
export function findObjects(world: World): Found {
  const unposted = [...world.positionProfiles.values()].find(
    ({ hirerId, ad }) => hirerId === HIRER && ad === null,
  );
  const empty = [...world.openings.values()].find(
    ({ hirerId, profileIds }) => hirerId === HIRER && profileIds.length === 0,
  );
  const uploadedProfile = world.candidates.get(UPLOADED)?.profileIds[0] ?? '';
  return {
    postedOpening: world.positionProfiles.get(LIVE_AD)?.openingId ?? '',
    emptyOpening: empty?.id ?? '',
    unposted: unposted?.id ?? '',
    uploadedProfile,
    step: world.stepsOf(uploadedProfile)[0]?.id ?? '',
  };
}
