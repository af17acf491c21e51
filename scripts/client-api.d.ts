/** The reference of the browser package (`client/API.md`). */
export function clientApi(): string;
