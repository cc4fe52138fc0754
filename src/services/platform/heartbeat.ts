// Each instance says every few seconds that it is at work, in real time even where the service's clock can be moved.
import type { Clock } from '#ports/clock.ts'
import type { WorkerBeat, WorkerStore } from '#ports/operator.ts'

/** An instance that has not been heard of for longer is taken for silent: six beats at one every five seconds. */
export const SILENT_AFTER_MS = 30_000
/**
 * What an instance has claimed is free for others after three missed beats. Taking it from one that only stalled does no
 * harm: every write carries a fence, and a webhook that is sent twice has the same id.
 */
export const DEAD_AFTER_MS = 15_000
const FORGOTTEN_AFTER_MS = 10 * 60_000

export type Heartbeat = {
  beat(): Promise<void>
  /** Says that the instance stops on purpose. */
  stop(): Promise<void>
}

export function createHeartbeat(deps: {
  store: Pick<WorkerStore, 'beat' | 'retire'>
  clock: Clock
  id: string
  role: string
}): Heartbeat {
  const { store, clock, id, role } = deps
  const startedAt = clock.now()
  return {
    async beat() {
      const lastSeenAt = clock.now()
      await store.beat({ id, role, startedAt, lastSeenAt }, new Date(lastSeenAt.getTime() - FORGOTTEN_AFTER_MS))
    },
    stop: () => store.retire(id),
  }
}

/** Returns whether anybody does the background work: an instance that only answers requests does not count. */
export const isAnyoneWorking = (workers: readonly WorkerBeat[], now: Date): boolean =>
  workers.some(({ role, lastSeenAt }) => role !== 'api' && now.getTime() - lastSeenAt.getTime() <= SILENT_AFTER_MS)
