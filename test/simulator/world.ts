// One simulated world: a chain, its nodes, a database, prices, receivers, and their shared state.

import { createHash, type Hash } from 'node:crypto'
import type { AccountState, Address } from '#core/chain/types.ts'
import { type ChainHooks, createSimulatedChain, type SimulatedChain, slotAt } from './chain/chain.ts'
import { createSimulatedNode, type SimulatedNode } from './chain/node.ts'
import { createDice, type Dice } from './dice.ts'
import { createFaults, type Faults } from './faults.ts'
import { DAWN, passTo, virtualNow } from './virtual-time.ts'

// One step happens at a time. Every call of a service waits here until it is drawn. Then it has its effect and its
// answer, and the process runs to its next call.

type Pending = {
  readonly label: string
  /** The earliest moment, in simulated time. */
  readonly dueAt: number
  /** Never rejects. */
  readonly run: () => Promise<void>
}

type Scheduler = {
  add(pending: Pending): void
  /** Resolves when the moment has come and the step is drawn. */
  at(time: number, label: string): Promise<void>
  /** Runs one step that is due; returns false when none is. */
  step(): Promise<boolean>
  /** Returns when the next step is due; null when none waits. */
  nextDue(): number | null
  readonly steps: number
}

/** A step takes some simulated time, so that the chain continues between two calls of a service. */
const MAX_STEP_MS = 60

function createScheduler(dice: Dice): Scheduler {
  const pending: Pending[] = []
  let steps = 0

  return {
    add: (one) => void pending.push(one),
    at: (time, label) =>
      new Promise((resolve) => {
        pending.push({ label, dueAt: time, run: async () => resolve() })
      }),
    async step() {
      const now = virtualNow()
      const due = pending.filter(({ dueAt }) => dueAt <= now)
      if (due.length === 0) return false
      const one = dice.pick(due)
      pending.splice(pending.indexOf(one), 1)
      steps += 1
      await one.run()
      await quiet()
      passTo(virtualNow() + dice.between(0, MAX_STEP_MS))
      return true
    },
    nextDue: () => pending.reduce<number | null>((least, { dueAt }) => Math.min(least ?? dueAt, dueAt), null),
    get steps() {
      return steps
    },
  }
}

/** Resolves when all work that waits only for this process has run. */
const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

// The events of a run, line by line, and one hash of all: two runs of a seed are the same when their hashes are equal.

const KEPT = 50_000

type Trace = {
  note(line: string): void
  /** Lines so far. The oldest are dropped when there are too many. */
  lines(): readonly string[]
  hash(): string
}

function createTrace(): Trace {
  const hash: Hash = createHash('sha256')
  let lines: string[] = []
  return {
    note(line) {
      const stamped = `${stamp()} ${line}`
      hash.update(stamped)
      lines.push(stamped)
      if (lines.length > 2 * KEPT) lines = lines.slice(-KEPT)
    },
    lines: () => lines,
    hash: () => hash.copy().digest('hex').slice(0, 16),
  }
}

/** Hours, minutes, seconds and milliseconds since the start of the world. */
function stamp(): string {
  const passed = virtualNow() - DAWN
  const part = (unit: number, of: number, width: number) => String(Math.floor(passed / unit) % of).padStart(width, '0')
  return `${part(3_600_000, 1_000, 2)}:${part(60_000, 60, 2)}:${part(1_000, 60, 2)}.${part(1, 1_000, 3)}`
}

/** The share of the worlds in which a block is final after 32 slots. */
const TOWER_SHARE = 0.25

/** The shared state of every part of a world. */
export type Ground = {
  readonly dice: Dice
  readonly faults: Faults
  readonly trace: Trace
  readonly scheduler: Scheduler
  readonly chain: SimulatedChain
  readonly nodes: readonly SimulatedNode[]
  /** Advances the chain to the current time. */
  catchUp(): void
  /** An event happened that others act on: the world takes short steps again. */
  stir(): void
  /** Schedules a step of the world at this moment, if the step is still needed then. */
  lookAt(time: number, isWanted: () => boolean): void
  /** The next scheduled moment. */
  nextLook(): number | null
  /** Returns true when an event happened since the last call. */
  stirred(): boolean
  /** By payment: how often the operator retried one of its transfers. Each retry emits its statuses again. */
  readonly rearms: Map<string, number>
  /** What jobs have failed at, as they name it: a database that was away, for instance. */
  readonly failedAt: Set<string>
  /** By the index of a payment: the wallets to which the operator, or the business, let held money go. */
  readonly released: Map<number, ReadonlySet<Address>>
  /** By the index of a payment: the addresses of its buyer that the business has approved. */
  readonly approved: Map<number, ReadonlySet<Address>>
  /** By account: its state when a request of a person last read it. */
  readonly shownToRequests: Map<Address, AccountState | null>
  /** Before this time no instance starts: the whole service is down. */
  downUntil: number
}

export type Listener = Pick<ChainHooks, 'onLanded' | 'onSubmitted'>

export function createGround(seed: number, listeners: readonly Listener[]): Ground {
  const dice = createDice(`seed ${seed}`)
  const faults = createFaults(dice.stream('faults'))
  const trace = createTrace()
  const fates = dice.stream('fates')
  let moved = true
  const doomed = new Set<string>()
  const appointments: { readonly time: number; readonly isWanted: () => boolean }[] = []
  const chain = createSimulatedChain(
    {
      fateOf(signature, lastValidSlot, tip) {
        if (!faults.over && doomed.has(signature)) return 'lost'
        if (faults.strikes('transaction lost')) {
          // Some transactions never land, however often they are sent, until their blockhash has expired.
          if (fates.chance(0.5)) doomed.add(signature)
          return 'lost'
        }
        if (faults.strikes('landed without running')) return { afterSlots: BigInt(fates.between(1, 4)), isUnpaid: true }
        if (faults.strikes('block skipped')) return { afterSlots: BigInt(fates.between(1, 4)), isSkipped: true }
        if (faults.strikes('landed in its last block')) return { afterSlots: lastValidSlot - tip }
        if (faults.strikes('expired at the edge')) return { afterSlots: lastValidSlot - tip + 1n }
        return { afterSlots: BigInt(fates.between(1, 4)) }
      },
      onSubmitted(wire) {
        for (const listener of listeners) listener.onSubmitted(wire)
      },
      onLanded(landed) {
        moved = true
        trace.note(
          `chain: ${landed.signature.slice(0, 8)} lands in ${landed.slot}${landed.error === null ? '' : `, failing: ${landed.error}`}`,
        )
        for (const listener of listeners) listener.onLanded(landed)
      },
    },
    dice.stream('consensus').chance(TOWER_SHARE) ? 'towerBft' : 'alpenglow',
  )
  trace.note(`chain: ${chain.consensus}`)
  const nodes = Array.from({ length: dice.between(2, 3) }, (_, at) => createSimulatedNode(at + 1, chain, faults))
  return {
    rearms: new Map(),
    failedAt: new Set(),
    released: new Map(),
    approved: new Map(),
    shownToRequests: new Map(),
    downUntil: 0,
    dice,
    faults,
    trace,
    chain,
    nodes,
    scheduler: createScheduler(dice.stream('scheduler')),
    catchUp: () => chain.advance(slotAt(virtualNow())),
    stir: () => {
      moved = true
    },
    lookAt: (time, isWanted) => void appointments.push({ time, isWanted }),
    nextLook() {
      const wanted = appointments.filter(({ time, isWanted }) => time > virtualNow() && isWanted())
      return wanted.length === 0 ? null : Math.min(...wanted.map(({ time }) => time))
    },
    stirred() {
      const was = moved
      moved = false
      return was
    },
  }
}
