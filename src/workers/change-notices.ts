// What notices ask for on one network: who was made or changed is read again, and who missed notices reads everything.
import type { Detection } from '#services/detection/detection.ts'
import { gathered, type Job } from './job.ts'

/** A payment's own steps change it several times, and many change at once. */
const CHANGES_GATHERED_MS = 50
/** What is planned together is looked at in one call, where one by one each would cost its own. */
const PLANNED_GATHERED_MS = 100

/** `lost`: notices may have been missed, so everything is read anew. */
export type ChangeNotice =
  | { readonly kind: 'created' | 'changed'; readonly ids: readonly string[] }
  | { readonly kind: 'planned' }
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
      // News that could not be read is as good as lost.
      jobs.reload.wake()
    })
  const changed = new Set<string>()
  const refreshChanged = gathered(() => {
    const ids = [...changed]
    changed.clear()
    refresh(ids, 'changed')
  }, CHANGES_GATHERED_MS)

  const moveMoney = gathered(() => jobs.transfer.wake(), PLANNED_GATHERED_MS)

  return (notice) => {
    if (notice.kind === 'lost') return jobs.reload.wake()
    if (notice.kind === 'planned') return moveMoney()
    // Who does not lead knows nobody to refresh, and reads everything when it takes over.
    if (!detection.loaded) return
    if (notice.kind === 'created') return refresh(notice.ids, 'created')
    for (const id of notice.ids) changed.add(id)
    refreshChanged()
  }
}
