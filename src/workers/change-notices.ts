// Follows the change notices of one network: reads created and changed payments again, and everything after lost notices.
import type { Detection } from '#services/detection/detection.ts'
import { coalesced, createJob, type Job } from './job.ts'

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

export type ChangeFollower = {
  readonly onNotice: (notice: ChangeNotice) => void
  /** Resolves after the reads under way. Later notices read nothing. */
  stop(): Promise<void>
}

export function followChangeNotices({ detection, jobs, onError }: ChangeNoticesDeps): ChangeFollower {
  const created = readerOf('created')
  const changed = readerOf('changed')
  const readChanged = coalesced(changed.job.wake, CHANGES_COALESCE_MS)
  const moveMoney = coalesced(() => jobs.transfer.wake(), PLANNED_COALESCE_MS)

  function readerOf(kind: 'created' | 'changed') {
    const waiting = new Set<string>()
    const job = createJob({
      name: kind,
      async runOnce() {
        const ids = [...waiting]
        waiting.clear()
        if (ids.length > 0) await detection.refresh(ids, kind)
        return { again: false }
      },
      onError(error) {
        onError(error)
        // A notice that could not be followed counts as lost.
        jobs.reload.wake()
      },
    })
    return { waiting, job }
  }

  return {
    onNotice(notice) {
      if (notice.kind === 'lost') return jobs.reload.wake()
      if (notice.kind === 'planned') return notice.count < MANY_PLANNED ? moveMoney() : jobs.transfer.wake()
      // Without the lead nothing is loaded here, and taking over the lead reads everything.
      if (!detection.loaded) return
      const { waiting } = notice.kind === 'created' ? created : changed
      for (const id of notice.ids) waiting.add(id)
      if (notice.kind === 'created') created.job.wake()
      else readChanged()
    },
    async stop() {
      await Promise.all([created.job.stop(), changed.job.stop()])
    },
  }
}
