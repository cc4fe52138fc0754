// The operator's own log: every change that was asked for with the token of the operator, whether it was made or refused.

export type OperatorLogEntry = {
  readonly id: string
  /** The mutation, or the method and path of a request without GraphQL. */
  readonly action: string
  /** The arguments as JSON, without images and without what is too long. */
  readonly given: string
  readonly ip: string
  readonly startedAt: Date
  /** `done`, or the code of the refusal; null while it is under way, and after the service died in it. */
  readonly outcome: string | null
  readonly endedAt: Date | null
}

export type NewOperatorLogEntry = Pick<OperatorLogEntry, 'action' | 'given' | 'ip' | 'startedAt'>

const MAX_CHARACTERS = 4_000

/** Returns arguments as they are logged: bytes by their number, and a text that is too long by its length. */
export function loggedArguments(given: object): string {
  const text = JSON.stringify(writable(given))
  return text.length > MAX_CHARACTERS ? JSON.stringify({ characters: text.length }) : text
}

function writable(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return { bytes: value.length }
  if (Array.isArray(value)) return value.map(writable)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, writable(entry)]))
}
