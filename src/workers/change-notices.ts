// Follows the change notices of one network: reads created and changed payments again, and everything after lost notices.
import type { Detection } from '#services/detection/detection.ts'
import { coalesced, type Job } from './job.ts'

/** A payment changes several times in a short time, and many payments change at the same time. */
const CHANGES_COALESCE_MS = 50
/** Transfers that are planned within a short time are read in one call. Many that are planned at once need not wait. */
const PLANNED_COALESCE_MS = 100
const MANY_PLANNED = 32

/** `lost`: notices may have been missed, so everything is read again. */
export type ChangeNotice =
  | { readonly kind: 'created' | 'changed'; readonly ids: readonly string[] }
  | { readonly kind: 'planned'; readonly count: number }
  | { readonly kind: 'lost' }

export type ChangeNoticesDeps = {
  readonly detection: Pick<Detection, 'loaded' | 'refresh'>
  readonly jobs: { readonly reload: Pick<Job, 'wake'>; readonly transfer: Pick<Job, 'wake'> }
  readonly onError: (error: unknown) => void
}

export function followChangeNotices({ detection, jobs, onError }: ChangeNoticesDeps): (notice: ChangeNotice) => void {
  const refresh = (ids: readonly string[], kind: 'created' | 'changed'): void =>
    void detection.refresh(ids, kind).catch((error: unknown) => {
      onError(error)
      // A notice that could not be followed counts as lost.
      jobs.reload.wake()
    })
  const changed = new Set<string>()
  const refreshChanged = coalesced(() => {
    const ids = [...changed]
    changed.clear()
    refresh(ids, 'changed')
  }, CHANGES_COALESCE_MS)

  const moveMoney = coalesced(() => jobs.transfer.wake(), PLANNED_COALESCE_MS)

  return (notice) => {
    if (notice.kind === 'lost') return jobs.reload.wake()
    if (notice.kind === 'planned') return notice.count < MANY_PLANNED ? moveMoney() : jobs.transfer.wake()
    // Without the lead nothing is loaded here, and taking over the lead reads everything.
    if (!detection.loaded) return
    if (notice.kind === 'created') return refresh(notice.ids, 'created')
    for (const id of notice.ids) changed.add(id)
    refreshChanged()
  }
}
