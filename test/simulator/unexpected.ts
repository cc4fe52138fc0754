// The errors of a day: those that its faults explain, and all others, which are mistakes of the program.
import { Died } from './carrier.ts'
import type { Findings } from './monitor/findings.ts'
import type { Ground } from './world.ts'

/** Notes an error of a job or of a request. A day has many errors, but no programming mistake. */
export function noteError(
  { trace }: Pick<Ground, 'trace'>,
  findings: Pick<Findings, 'check'>,
  error: unknown,
  context: string,
): void {
  const text = error instanceof Error ? `${error.name}: ${error.message.split('\n').at(-1)}` : String(error)
  trace.note(`error in ${context}: ${text}`)
  findings.check(
    'nothing fails unexpectedly',
    isExpected(error),
    () => `${context}: ${error instanceof Error ? error.stack : text}`,
  )
}

const isExpected = (error: unknown): boolean =>
  error instanceof Died || (error instanceof Error && (EXPECTED.has(error.name) || NOT_YET.test(error.message)))

const EXPECTED: ReadonlySet<string> = new Set(['ServiceError', 'DatabaseUnavailableError', 'ProviderFault'])
/** Blocks and transactions that a provider lacks for a moment. */
const NOT_YET =
  /no final block can be read|is in a final block, but not known by itself yet|a transfer follows a final transaction/
