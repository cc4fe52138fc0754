// Runs reads that take long a few at a time. Callers take turns, so a caller that asks for many of them delays its
// own and no others. Light executions never wait.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '#core/errors.ts'
import { doneInSteps } from '#lib/steps.ts'

export type HeavyWorkLimits = {
  /** An operation that costs at least so many points is heavy. */
  readonly fromPoints: number
  /** Turns at once, of all callers together. */
  readonly atOnce: number
  /** Heavy executions at once of one business, or of the operator, with and without a turn. */
  readonly atOncePerCaller: number
  /** How long a turn lasts at most. Work that takes longer waits for the chain or the database, and not for the processor. */
  readonly turnMs: number
  /** Heavy executions of one caller that can wait for their turn. */
  readonly waitingPerCaller: number
  /** Heavy executions of all callers together that can wait. */
  readonly waiting: number
  /** How long the service waits before it refuses a caller whose queue is full. */
  readonly refusalPauseMs: number
}

export const HEAVY_WORK_LIMITS: HeavyWorkLimits = {
  fromPoints: 2,
  atOnce: 1,
  atOncePerCaller: 1,
  turnMs: 1_000,
  waitingPerCaller: 8,
  waiting: 200,
  refusalPauseMs: 250,
}

export type HeavyWork = {
  /**
   * Runs work of so many points: at once when it is light, else when it is the caller's turn. Throws `rate_limited`
   * when too much waits already, and when the signal aborts before the turn comes: its client is gone.
   */
  run<T>(points: number, caller: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

const RETRY_AFTER_SECONDS = 1

const tooMuch = () => new ServiceError('rate_limited', { retry_after_seconds: RETRY_AFTER_SECONDS })

/** Refusals of clients that are gone, in one turn of the event loop: an address may close thousands of connections at once. */
const LEAVING_IN_A_TURN = 5

type Caller = { running: number; readonly waiting: Set<() => void> }

export function createHeavyWork(limits: HeavyWorkLimits): HeavyWork {
  /** In the order of their turns. */
  const callers = new Map<string, Caller>()
  let turns = 0
  let waiting = 0

  /** Starts what may start, each time with the caller whose turn is longest ago. */
  function startNext(): void {
    for (const [name, caller] of callers) {
      if (turns >= limits.atOnce) return
      const [start] = caller.waiting
      if (start === undefined || caller.running >= limits.atOncePerCaller) continue
      callers.delete(name)
      callers.set(name, caller)
      start()
    }
  }

  function hasRoom(name: string): boolean {
    return waiting < limits.waiting && (callers.get(name)?.waiting.size ?? 0) < limits.waitingPerCaller
  }

  function callerOf(name: string): Caller {
    const caller = callers.get(name) ?? { running: 0, waiting: new Set() }
    callers.set(name, caller)
    return caller
  }

  const refuseGone = doneInSteps(LEAVING_IN_A_TURN, (refuse: (error: unknown) => void) => refuse(tooMuch()))

  function turn(caller: Caller, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        if (!caller.waiting.delete(start)) return
        waiting -= 1
        refuseGone(reject)
      }
      const start = () => {
        caller.waiting.delete(start)
        signal?.removeEventListener('abort', leave)
        waiting -= 1
        caller.running += 1
        turns += 1
        resolve()
      }
      caller.waiting.add(start)
      waiting += 1
      signal?.addEventListener('abort', leave, { once: true })
      startNext()
    })
  }

  /** Does work whose turn has begun. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    let isOver = false
    const giveBack = () => {
      if (isOver) return
      isOver = true
      turns -= 1
      startNext()
    }
    const timer = setTimeout(giveBack, limits.turnMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      giveBack()
    }
  }

  return {
    async run(points, name, work, signal) {
      if (points < limits.fromPoints) return await work()
      if (!hasRoom(name)) {
        await sleep(limits.refusalPauseMs)
        throw tooMuch()
      }
      if (signal?.aborted) throw tooMuch()
      const caller = callerOf(name)
      try {
        await turn(caller, signal)
        try {
          return await inTurn(work)
        } finally {
          caller.running -= 1
        }
      } finally {
        callers.delete(name)
        // Behind those that wait: it just had its turn.
        if (caller.running > 0 || caller.waiting.size > 0) callers.set(name, caller)
        startNext()
      }
    },
  }
}
