// Each instance records every few seconds that it is working. The clock of the database measures how long it is silent.
import type { Clock } from '#ports/clock.ts'
import type { WorkerBeat, WorkerStore } from '#ports/operator.ts'

/** An instance without a beat for longer counts as silent: six beats, one every five seconds. */
const SILENT_AFTER_MS = 30_000
/**
 * After three missed beats, other instances may claim the work of an instance. This is safe even when the instance has only
 * stalled: every write names a fence, and a webhook that is sent twice has the same id.
 */
export const DEAD_AFTER_MS = 15_000
const FORGOTTEN_AFTER_MS = 10 * 60_000

export type Heartbeat = {
  beat(): Promise<void>
  /** Records that the instance stops on purpose. */
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
    beat: () => store.beat({ id, role, startedAt }, FORGOTTEN_AFTER_MS),
    stop: () => store.retire(id),
  }
}

/** Returns whether an instance does the background work; one that only answers requests does not count. */
export const isAnyoneWorking = (workers: readonly WorkerBeat[]): boolean =>
  workers.some(({ role, silentMs }) => role !== 'api' && silentMs <= SILENT_AFTER_MS)
