import { request, type Bff } from 'partner-bff-client';
import { JobCategoriesDocument, JobCategorySuggestionsDocument } from '../operations.ts';

/** `seekAnz` at a real upstream. */
export const SCHEME_ID = 'seekAnzPublicTest';

/** Something to choose. */
export interface Choice {
  readonly id: string;
  readonly label: string;
}

/** A location, and what is paid in there. */
export interface LocationChoice extends Choice {
  readonly currencies: readonly string[];
}

const LOCATIONS = `query Locations($schemeId: String!, $text: String!, $usageTypeCode: String!, $hirerId: String) {
  locationSuggestions(schemeId: $schemeId, text: $text, usageTypeCode: $usageTypeCode, hirerId: $hirerId) {
    location { id { value } contextualName currencies { code } }
  }
}`;

type Location = { id: { value: string }; contextualName: string; currencies: { code: string }[] };
type LocationsAnswer = { locationSuggestions: { location: Location }[] | null };

/** Locations whose name holds the text, from the upstream itself: with a browser token, one way less for each letter. */
export async function findLocations(bff: Bff, text: string, signal: AbortSignal): Promise<LocationChoice[]> {
  const usageTypeCode = 'PositionPosting';
  const variables = { schemeId: SCHEME_ID, text, usageTypeCode, hirerId: bff.hirerId };
  const query = { query: LOCATIONS, variables };
  const { locationSuggestions } = await request<LocationsAnswer, object>(bff, query, { signal });
  return (locationSuggestions ?? []).map(({ location }) => ({
    id: location.id.value,
    label: location.contextualName,
    currencies: location.currencies.map(({ code }) => code),
  }));
}

/** The categories that ads are posted under (those without children) whose name holds the text. */
export async function findCategories(
  bff: Bff,
  text: string,
  locationId: string,
  signal: AbortSignal,
): Promise<Choice[]> {
  const variables = { schemeId: SCHEME_ID, positionProfile: { positionLocation: [locationId] } };
  const { jobCategories } = await request(bff, { query: JobCategoriesDocument, variables }, { signal });
  return jobCategories
    .flatMap(({ name: parent, children }) =>
      (children ?? []).map(({ id, name }) => ({ id: id.value, label: `${name} (${parent})` })),
    )
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
}

/** The categories that suit a title, the likeliest first. */
export async function suggestCategories(
  bff: Bff,
  positionTitle: string,
  locationId: string,
  signal: AbortSignal,
): Promise<Choice[]> {
  const positionProfile = { positionTitle, positionLocation: [locationId] };
  const variables = { schemeId: SCHEME_ID, positionProfile };
  const asked = { query: JobCategorySuggestionsDocument, variables };
  const { jobCategorySuggestions } = await request(bff, asked, { signal });
  return jobCategorySuggestions.map(({ jobCategory: { id, name, parent } }) => ({
    id: id.value,
    label: parent ? `${name} (${parent.name})` : name,
  }));
}
