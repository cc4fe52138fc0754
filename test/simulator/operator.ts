// The people behind the service: they look in now and then, re-arm what has stopped, and fund the fee payer.
import type { Database } from '#adapters/prisma/database.ts'
import { paySol, signedTransaction } from './chain/wallets.ts'
import { ask, type People } from './people.ts'
import { DAWN } from './virtual-time.ts'

const HOUR_MS = 3_600_000
const LOOKS = [2, 5, 9, 14, 19, 23]

/** Comes by during the day. */
export function employOperator(people: People, db: Pick<Database, 'query'>): void {
  const { ground } = people
  const dice = ground.dice.stream('operator')
  for (const hour of LOOKS) {
    void ground.scheduler.at(DAWN + hour * HOUR_MS + dice.between(0, HOUR_MS), 'the operator looks').then(async () => {
      if (dice.chance(0.5)) fundFeePayer(people)
      const stopped = await db.query<{ id: string; key: string }>(
        `SELECT id, key FROM transfers WHERE status IN ('failed', 'held') ORDER BY key`,
      )
      for (const { id, key } of stopped) {
        if (dice.chance(0.5)) continue
        ground.trace.note(`the operator re-arms ${key}`)
        await ask(people, dice, (instance) => instance.rearm(id))
      }
    })
  }
}

export function fundFeePayer({ ground, stage }: Pick<People, 'ground' | 'stage'>): void {
  const { chain } = ground
  const wire = signedTransaction(
    [stage.issuer],
    [paySol(stage.issuer, stage.feePayer, 1_000_000_000n)],
    chain.lifetimeAt(chain.tip),
  )
  chain.submit(wire)
}
