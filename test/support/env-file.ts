/** The lines `NAME=value` of a text. */
export function settingsIn(text: string): Record<string, string> {
  const lines = text.matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
}
