// Repeats a read, a decision and a write until no other change came between them.
import { ServiceError } from '#core/errors.ts'

/** The number of races that a call may lose. Each lost race is a change that another call has made. */
export const MAX_RACES = 64

/** The outcome of a try that wrote nothing, because what it had read has changed. */
export const CHANGED_MEANWHILE = Symbol('what was read has changed')

/** Tries until no other change came in between. Throws `database_unavailable` after too many lost races. */
export async function retryWhenChanged<T>(attempt: () => Promise<T | typeof CHANGED_MEANWHILE>): Promise<T> {
  for (let race = 0; race < MAX_RACES; race += 1) {
    const outcome = await attempt()
    if (outcome !== CHANGED_MEANWHILE) return outcome
  }
  throw new ServiceError('database_unavailable', { reason: 'what was read kept changing' })
}
