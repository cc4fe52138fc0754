// The database fails over to a standby that is behind: it forgets the rows of the last moment. The chain and the receivers of
// webhooks keep what they have. docs/money.md, "A database that loses rows".
import { keepRows } from '../support/lost-second.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Instance } from './instance.ts'
import { replaced, type WorldPorts } from './ports.ts'
import { virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

/** The share of the seeds with failovers, and how many one seed has at most. */
const SHARE = 0.4
const MOST = 3
/** The odds at each change of a seed with failovers. */
const ODDS = [0.3, 0.1, 0.03, 0.01]
/** In half of the seeds with subscriptions, it fails over only when a pull is about to be signed, by these odds. */
const OF_PULLS = 0.5
const PULL_ODDS = 0.2
/** How much the database forgets, in milliseconds. */
const [LEAST_MS, MOST_MS] = [500, 3_000]

const NEXT_INDEX = 'SELECT (last_value + is_called::int)::text AS index FROM payment_intents_derivation_index_seq'
const RESTART_INDEX = `SELECT setval('payment_intents_derivation_index_seq', $1::bigint, false)`

export type Failovers = {
  /** Rows were written, or a pull is about to be signed. Now and then the database soon forgets what follows. */
  onWritten(isPull: boolean): void
  /** Each failover begins another timeline. */
  withTimeline(ports: WorldPorts): WorldPorts
}

/** Draws from a stream of its own: a seed without failovers stays as it is. */
export function createFailovers(
  { dice: all, faults, scheduler, trace }: Ground,
  { db }: SimulatedDatabase,
  hooks: {
    readonly instances: () => readonly Instance[]
    /** The monitor keeps what it knows from the rows. The returned function brings it back to that. */
    readonly keepKnowledge: () => () => Promise<void>
    /** Owners know their allowances. The returned function lets some of them give again what was pulled since. */
    readonly keepAllowances: () => () => void
  },
  /** The seed has failovers, also when it would not draw them. */
  isWanted: boolean,
  hasSubscriptions: boolean,
): Failovers {
  const dice = all.stream('failovers')
  const isDrawn = dice.chance(SHARE)
  const isOfPulls = dice.stream('of pulls').chance(OF_PULLS) && hasSubscriptions
  const odds = isOfPulls ? PULL_ODDS : dice.pick(ODDS)
  let left = isDrawn || isWanted ? dice.between(1, MOST) : 0
  let timeline = 1
  let isKept = false

  const keep = async (): Promise<void> => {
    trace.note('what follows is not replicated')
    const [bringBack, forget] = [await keepRows(db), hooks.keepKnowledge()]
    const giveAgain = hooks.keepAllowances()
    const [next] = await db.query<{ index: string }>(NEXT_INDEX, [])
    scheduler.add({
      label: 'failover',
      dueAt: virtualNow() + dice.between(LEAST_MS, MOST_MS),
      async run() {
        isKept = false
        if (faults.over) return
        timeline += 1
        faults.count('database failed over')
        trace.note(`the database fails over, to timeline ${timeline}`)
        for (const { carrier } of hooks.instances()) {
          carrier.loseDatabase()
          if (dice.chance(0.5)) carrier.kill()
        }
        await bringBack()
        // Most of the time the standby is ahead with the sequence, because PostgreSQL logs several values at once.
        if (dice.chance(0.5)) await db.query(RESTART_INDEX, [next?.index ?? '1'])
        await forget()
        giveAgain()
      },
    })
  }

  return {
    onWritten(isPull) {
      if (left === 0 || isKept || faults.over || (isOfPulls && !isPull) || !dice.chance(odds)) return
      left -= 1
      isKept = true
      scheduler.add({ label: 'replication stops', dueAt: virtualNow(), run: keep })
    },
    withTimeline: (ports) => ({
      ...ports,
      lineage: replaced(ports.lineage, { timeline: async () => String(timeline) }),
    }),
  }
}
