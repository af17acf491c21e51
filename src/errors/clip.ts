const CHARACTERS_MAX = 60;

/** A name that a caller chose, as it may stand in a header, an answer or the log: cut where it is long. */
export function clip(name: string, charactersMax = CHARACTERS_MAX): string {
  return name.length <= charactersMax ? name : `${name.slice(0, charactersMax).toWellFormed()}…`;
}
