// One simulated world: a chain, its nodes, a database, prices, receivers, and their shared state.

import type { AccountState, Address } from '#core/chain/types.ts'
import { type ChainHooks, createSimulatedChain, type SimulatedChain, slotAt } from './chain/chain.ts'
import { createSimulatedNode, type SimulatedNode } from './chain/node.ts'
import type { Dice } from './dice.ts'
import { createDice } from './dice.ts'
import { createFaults, type Faults } from './faults.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { createTrace, type Trace } from './trace.ts'
import { virtualNow } from './virtual-time.ts'

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
  /** By the index of a payment: the wallets to which the operator ordered held money to go. */
  readonly released: Map<number, ReadonlySet<Address>>
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
    released: new Map(),
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
