// The operator: checks the service from time to time, retries failed and held transfers, and funds the fee payer. When the
// faults are over, businesses fund their empty wallets, and create their missing token accounts.
import type { Instruction } from '@solana/kit'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { makeAsset } from '#core/chain/base58.ts'
import type { Asset } from '#core/chain/types.ts'
import { openHolding, paySol, signedTransaction } from './chain/wallets.ts'
import { ask, type People } from './people.ts'
import { DAWN, virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

const HOUR_MS = 3_600_000
/** When the operator checks the service, as parts of the day. */
const LOOKS = [0.2, 0.6, 0.9]
/** How often the operator retries one transfer at most. */
const MAX_REARMS = 4

export type Operator = {
  /** A transfer waits for a person. */
  onStopped(): void
  /** When strangers send no dust any more: retries the rent reserves that wait for a person, as often as other transfers. */
  retryReserves(): Promise<void>
}

/** Checks the service during the day, and some time after a transfer stopped. */
export function employOperator(
  people: () => People,
  ground: Ground,
  db: Pick<Database, 'query'>,
  thawSome: () => void,
  dayMs: number,
): Operator {
  const dice = ground.dice.stream('operator')
  const rearmed = new Map<string, number>()
  const look = async (): Promise<void> => {
    if (ground.faults.over) return
    if (dice.chance(0.5)) fundFeePayer(people())
    if (dice.chance(0.5)) thawSome()
    await ground.scheduler.at(virtualNow() + 30_000, 'the operator waits a moment')
    // A transfer that is retried reserves its money, which cannot be released.
    if (dice.chance(0.5)) await releaseSome()
    const stopped = await db.query<Stopped>(
      `SELECT id, key, intent_id AS intent FROM transfers WHERE status IN ('failed', 'held') AND intent_id IS NOT NULL ORDER BY key`,
    )
    for (const transfer of stopped) {
      const rearms = rearmed.get(transfer.id) ?? 0
      if (rearms >= MAX_REARMS || dice.chance(0.3)) continue
      rearmed.set(transfer.id, rearms + 1)
      await rearm(transfer)
    }
  }
  const rearm = async ({ id, key, intent }: Stopped): Promise<void> => {
    ground.rearms.set(intent, (ground.rearms.get(intent) ?? 0) + 1)
    ground.trace.note(`the operator re-arms ${key}`)
    await ask(people(), dice, (instance) => instance.rearm(id))
  }
  const releaseSome = async (): Promise<void> => {
    for (const intent of await withHeldMoney(db)) if (ground.faults.strikes('release ordered')) await release(intent)
  }
  const release = async ({ index, assets }: HeldIntent): Promise<void> => {
    const { stage } = people()
    const asset = dice.pick(assets)
    const to = dice.pick([stage.vault, dice.pick(stage.buyers)]).address
    ground.trace.note(`the operator releases ${asset} of intent ${index} to ${to}`)
    ground.released.set(index, new Set([...(ground.released.get(index) ?? []), to]))
    const order = { intent: String(index), asset, to, reason: 'the buyer asked for it' }
    await ask(people(), dice, (instance) => instance.release(order))
  }
  const comeAt = (time: number) => void ground.scheduler.at(time, 'the operator checks').then(look)
  for (const part of LOOKS) comeAt(DAWN + Math.floor(part * dayMs) + dice.between(0, Math.floor(dayMs / 24)))
  const reservesRetried = new Map<string, number>()
  const underWay = new Set<string>()
  const retry = async (reserve: Stopped): Promise<void> => {
    const times = reservesRetried.get(reserve.id) ?? 0
    if (times >= MAX_REARMS || underWay.has(reserve.id)) return
    reservesRetried.set(reserve.id, times + 1)
    underWay.add(reserve.id)
    await rearm(reserve)
    underWay.delete(reserve.id)
  }
  return {
    onStopped: () => comeAt(virtualNow() + dice.between(60_000, HOUR_MS)),
    async retryReserves() {
      // Time passes only after the caller goes on.
      for (const reserve of await db.query<Stopped>(HELD_RESERVES)) void retry(reserve)
    },
  }
}

const HELD_RESERVES = `
SELECT id, key, intent_id AS intent FROM transfers WHERE status = 'held' AND portion = 'rent_reserve' ORDER BY key`

type Stopped = { readonly id: string; readonly key: string; readonly intent: string }

type HeldIntent = { readonly index: number; readonly assets: readonly Asset[] }

/** Intents with money that waits for a person, and the assets that it may be in. */
async function withHeldMoney(db: Pick<Database, 'query'>): Promise<readonly HeldIntent[]> {
  const rows = await db.query<{ index: number; assets: string[] }>(
    `SELECT derivation_index AS index, array_agg(DISTINCT d.asset ORDER BY d.asset) AS assets
     FROM payment_intents i JOIN deposits d ON d.intent_id = i.id
     WHERE i.status = 'refund_failed' OR i.held <> '[]' GROUP BY derivation_index ORDER BY derivation_index`,
  )
  return rows.map(({ index, assets }) => ({ index, assets: assets.map(makeAsset) }))
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

/**
 * Returns a function for the businesses: each brings a wallet of its own to the chain's minimum, or creates its token
 * accounts, once, when open work names it as empty or without one.
 */
export function walletRepair({ ground, stage }: Pick<People, 'ground' | 'stage'>): (open: readonly string[]) => void {
  const { chain, trace } = ground
  const { issuer } = stage
  const repaired = new Set<string>()
  const once = (what: string, instructions: () => readonly Instruction[]): void => {
    if (repaired.has(what)) return
    repaired.add(what)
    trace.note(`a business ${what}`)
    chain.submit(signedTransaction([issuer], instructions(), chain.lifetimeAt(chain.tip)))
  }
  return (open) => {
    for (const { address } of stage.payees.flatMap(({ wallets }) => wallets)) {
      const isNamed = (state: string): boolean => open.some((what) => what.includes(`${address} ${state}`))
      if (isNamed('is empty'))
        once(`brings ${address} to the chain's minimum`, () => [paySol(issuer, address, chain.rentOf(0n))])
      if (isNamed('has no account'))
        once(`creates the accounts of ${address}`, () =>
          [...stage.mints.values()].map((mint) => openHolding(issuer, address, mint)),
        )
    }
  }
}
