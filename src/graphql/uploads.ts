// Requests with an image in the body keep more memory than others, so a few of them are read at once.
import { ServiceError } from '#core/errors.ts'
import { type Caller, callerName } from '#graphql/caller.ts'
import type { Limits } from '#graphql/limits.ts'
import { type AnyPrincipal, countedBy } from '#graphql/principal.ts'

export type UploadLimits = {
  /** Uploads at once, of all callers together. */
  readonly atOnce: number
  /** Uploads at once of one business, or of the operator. */
  readonly atOncePerCaller: number
}

export const UPLOAD_LIMITS: UploadLimits = { atOnce: 16, atOncePerCaller: 4 }

/** Gives the place of an upload back. A repeat does nothing. */
export type EndUpload = () => void

export type Uploads = {
  /**
   * Takes a place before the body is read. Throws `rate_limited` when none is left, or when the tally of the key is full.
   */
  begin(caller: Pick<Caller<AnyPrincipal>, 'principal' | 'address' | 'onCounted'>): Promise<EndUpload>
}

const RETRY_AFTER_SECONDS = 1

export function createUploads(keys: Pick<Limits, 'requireRoom'>, limits: UploadLimits): Uploads {
  const places = new Map<string, number>()
  let taken = 0
  const add = (caller: string, count: 1 | -1): void => {
    taken += count
    const left = (places.get(caller) ?? 0) + count
    if (left === 0) places.delete(caller)
    else places.set(caller, left)
  }
  return {
    async begin(asking) {
      const { principal, onCounted } = asking
      if (principal.kind === 'business')
        await keys.requireRoom(countedBy(principal), principal.tenant.network, onCounted)
      const caller = callerName(asking)
      if (taken >= limits.atOnce || (places.get(caller) ?? 0) >= limits.atOncePerCaller)
        throw new ServiceError('rate_limited', { retry_after_seconds: RETRY_AFTER_SECONDS })
      add(caller, 1)
      let isOpen = true
      return () => {
        if (isOpen) add(caller, -1)
        isOpen = false
      }
    },
  }
}
