// Repeats a read, a decision and a write until nothing came in between.
import { ServiceError } from '#core/errors.ts'

/** The most races that a call may lose. Each lost race is a change that another call has made. */
const MAX_RACES = 64

/** The outcome of a try that wrote nothing, because what it had read has changed. */
export const MOVED_ON = Symbol('what was read has changed')

/** Tries until no other change came in between. Throws `database_unavailable` after too many lost races. */
export async function untilUndisturbed<T>(attempt: () => Promise<T | typeof MOVED_ON>): Promise<T> {
  for (let race = 0; race < MAX_RACES; race += 1) {
    const outcome = await attempt()
    if (outcome !== MOVED_ON) return outcome
  }
  throw new ServiceError('database_unavailable', { reason: 'what was read kept changing' })
}
