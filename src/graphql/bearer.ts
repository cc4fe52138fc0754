// The Authorization header, as every credential of the API is sent.
const BEARER = /^Bearer +(\S+) *$/i

/** Returns the token of a `Bearer` header; null for no header and for any other. */
export const bearerOf = (authorization: string | null): string | null =>
  authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null)
