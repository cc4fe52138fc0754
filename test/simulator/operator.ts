// The people behind the service: they look in now and then, re-arm what has stopped, and fund the fee payer.
import type { Database } from '#adapters/prisma/database.ts'
import { paySol, signedTransaction } from './chain/wallets.ts'
import { ask, type People } from './people.ts'
import { DAWN, virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

const HOUR_MS = 3_600_000
const LOOKS = [5, 14, 22]

export type Operator = {
  /** Something has stopped that only a person takes up again. */
  onStopped(): void
}

/** Comes by during the day, and some time after something stopped. */
export function employOperator(
  people: () => People,
  ground: Ground,
  db: Pick<Database, 'query'>,
  thawSome: () => void,
): Operator {
  const dice = ground.dice.stream('operator')
  const look = async (): Promise<void> => {
    if (ground.faults.over) return
    if (dice.chance(0.5)) fundFeePayer(people())
    if (dice.chance(0.5)) thawSome()
    await ground.scheduler.at(virtualNow() + 30_000, 'the operator waits a moment')
    const stopped = await db.query<{ id: string; key: string }>(
      `SELECT id, key FROM transfers WHERE status IN ('failed', 'held') ORDER BY key`,
    )
    for (const { id, key } of stopped) {
      if (dice.chance(0.3)) continue
      ground.trace.note(`the operator re-arms ${key}`)
      await ask(people(), dice, (instance) => instance.rearm(id))
    }
  }
  const comeAt = (time: number) => void ground.scheduler.at(time, 'the operator looks').then(look)
  for (const hour of LOOKS) comeAt(DAWN + hour * HOUR_MS + dice.between(0, HOUR_MS))
  return { onStopped: () => comeAt(virtualNow() + dice.between(60_000, HOUR_MS)) }
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
