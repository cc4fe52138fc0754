// Logs what the operator changes.
import { ServiceError } from '#core/errors.ts'
import { loggedArguments, type OperatorLogEntry } from '#core/platform/operator-log.ts'
import type { Clock } from '#ports/clock.ts'
import type { OperatorLogStore } from '#ports/operator.ts'
import { isUuid } from '#services/requests.ts'

export type OperatorLogServices = {
  /**
   * Makes a change, which is logged before it begins: a change that cannot be logged is not made. Throws what `change` throws.
   */
  logged<T>(
    asked: { readonly action: string; readonly given: object; readonly ip: string },
    change: () => Promise<T>,
  ): Promise<T>
  /** Returns the newest entries first, with or without logins and logouts. Throws `invalid_request` for a `before` that is no id. */
  list(
    limit: number,
    before: string | null,
    asked?: { readonly withLogins: boolean },
  ): Promise<readonly OperatorLogEntry[]>
}

export type OperatorLogDeps = { readonly operatorLog: OperatorLogStore; readonly wallClock: Clock }

/** The mutations by which a browser gets in and out. */
const LOGINS = ['beginOperatorSession', 'endOperatorSession']

export const createOperatorLogServices = ({ operatorLog, wallClock }: OperatorLogDeps): OperatorLogServices => ({
  async logged({ action, given, ip }, change) {
    const id = await operatorLog.begin({ action, given: loggedArguments(given), ip, startedAt: wallClock.now() })
    // The change is made by then, and its answer does not wait for the database to be there again.
    const end = (outcome: string) => operatorLog.end(id, outcome, wallClock.now()).catch(() => {})
    try {
      const made = await change()
      await end('done')
      return made
    } catch (error) {
      await end(error instanceof ServiceError ? error.code : 'internal_error')
      throw error
    }
  },

  async list(limit, before, { withLogins } = { withLogins: true }) {
    if (before !== null && !isUuid(before))
      throw new ServiceError('invalid_request', { field: 'before', rule: 'must be the id of an entry' })
    return await operatorLog.list(limit, before, withLogins ? [] : LOGINS)
  },
})
