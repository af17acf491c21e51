const MEANINGS = {
  iss: 'who signed it',
  aud: 'whom it is for',
  sub: 'who the user is',
  name: 'display name',
  exp: 'until when it is valid',
};

/**
 * The claims worth showing, each with its meaning. The signature is not verified.
 * @param {string} jwt
 */
export function readClaims(jwt) {
  const base64 = (jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(bytes));
  return Object.entries(MEANINGS)
    .filter(([name]) => claims[name] !== undefined)
    .map(([name, meaning]) => ({ name, meaning, value: show(name, claims[name]) }));
}

function show(name, value) {
  if (name !== 'exp') return String(value);
  return new Date(value * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
