const CHARACTERS_MAX = 60;

/** A text for a header, an answer or the log, such as a name that a caller chose; shortened when it is too long. */
export function clip(name: string, charactersMax = CHARACTERS_MAX): string {
  return name.length <= charactersMax ? name : `${name.slice(0, charactersMax).toWellFormed()}…`;
}
