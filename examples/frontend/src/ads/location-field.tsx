import { request, type Bff } from 'partner-bff-client';
import { useEffect, useRef, useState } from 'react';
import { Fault } from '../page/fault.tsx';
import { Input } from '../page/field.tsx';
import { useLoaded, useSettled } from '../page/use-loaded.ts';

/** `seekAnz` at a real upstream. */
export const SCHEME_ID = 'seekAnzPublicTest';
const CHARACTERS_MIN = 2;

/** A location, and what is paid in there. */
export interface LocationChoice {
  readonly id: string;
  readonly label: string;
  readonly currencies: readonly string[];
}

interface LocationFieldProps {
  readonly value: LocationChoice | undefined;
  readonly onChoose: (location: LocationChoice | undefined) => void;
}

/** A location from those that the upstream suggests as one types. */
export function LocationField({ value, onChoose }: LocationFieldProps) {
  const [text, setText] = useState(value?.label ?? '');
  const field = useRef<HTMLInputElement>(null);
  const wanted = useSettled(text.trim());
  const isWanted = !value && wanted.length >= CHARACTERS_MIN;
  const { data, isLoading, error, reload } = useLoaded(
    async (bff, signal) => (isWanted ? findLocations(bff, wanted, signal) : []),
    [isWanted, wanted],
  );
  const found = data ?? [];
  useEffect(() => field.current!.setCustomValidity(value ? '' : 'Choose a location from the list.'), [value]);
  const choose = (location: LocationChoice) => {
    setText(location.label);
    onChoose(location);
    field.current!.focus();
  };
  return (
    <div>
      <Input
        ref={field}
        label="Location"
        hint="Type to search"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onChoose(undefined);
        }}
      />
      <ul className="list" aria-label="Suggestions" hidden={found.length === 0}>
        {found.map((location) => (
          <li key={location.id}>
            <button type="button" className="row" onClick={() => choose(location)}>
              {location.label}
            </button>
          </li>
        ))}
      </ul>
      {isWanted && !isLoading && !error && found.length === 0 && <small role="status">Nothing found</small>}
      <Fault error={error} onRetry={reload} />
    </div>
  );
}

const LOCATIONS = `query Locations($schemeId: String!, $text: String!, $usageTypeCode: String!, $hirerId: String) {
  locationSuggestions(schemeId: $schemeId, text: $text, usageTypeCode: $usageTypeCode, hirerId: $hirerId) {
    location { id { value } contextualName currencies { code } }
  }
}`;

type Location = { id: { value: string }; contextualName: string; currencies: { code: string }[] };
type LocationsAnswer = { locationSuggestions: { location: Location }[] | null };

/** Locations whose name holds the text, from the upstream itself: with a browser token, one way less for each letter. */
async function findLocations(bff: Bff, text: string, signal: AbortSignal): Promise<LocationChoice[]> {
  const usageTypeCode = 'PositionPosting';
  const variables = { schemeId: SCHEME_ID, text, usageTypeCode, hirerId: bff.hirerId };
  const query = { query: LOCATIONS, variables };
  const { locationSuggestions } = await request<LocationsAnswer, object>(bff, query, { signal });
  return (locationSuggestions ?? []).map(({ location: { id, contextualName, currencies } }) => ({
    id: id.value,
    label: contextualName,
    currencies: currencies.map(({ code }) => code),
  }));
}
