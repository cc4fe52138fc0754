// The selection of due charges among 1,000,000 subscriptions, against 10,000. Both on one PostgreSQL, each with its own database.
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import type { BillingStore } from '#ports/billing.ts'
import { addressNo } from '../../test/support/payment.ts'
import { median } from '../harness/duel.ts'
import type { Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { openBusiness, seedSubscriptions } from './seed.ts'

const SMALL = 10_000
const LARGE = 1_000_000
const MAX_GROWTH = 1.2
/** As many as one round takes. */
const SELECTED = 512
const WARM_UP = 20
const ROUNDS = 101

const MONTH_MS = 30 * 86_400_000
/** The subscriptions are due within a month, and one in ten is due at this moment. */
const START = new Date('2026-11-01T00:00:00.000Z')
const NOW = new Date(START.getTime() + MONTH_MS / 10)

type Side = Pick<BillingStore, 'due' | 'facts'>
type Ask = (side: Side) => Promise<unknown>

export async function benchSelecting(
  workplace: Workplace,
  progress: (line: string) => void,
): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const open = async (count: number): Promise<Side> => {
    progress(`writing ${count.toLocaleString('en')} subscriptions`)
    const url = await workplace.postgres.createDatabase(`selecting_${count}`)
    const db = await openDatabase({ kind: 'postgresql', url, poolSize: 4 })
    cleanup.defer(() => db.close())
    const { tier } = await openBusiness(url, db)
    const apartMs = MONTH_MS / count
    await seedSubscriptions(db, tier, { count, dueFrom: START, apartMs, delegate: addressNo(1) })
    return createBillingStore(db)
  }
  const small = await open(SMALL)
  const large = await open(LARGE)
  const select = async (side: Side): Promise<readonly string[]> => {
    const ids = await side.due('live', NOW, SELECTED)
    if (ids.length !== SELECTED) throw new Error(`${ids.length} subscriptions are due`)
    return ids
  }
  const selectWithFacts: Ask = async (side) => await Promise.all((await select(side)).map((id) => side.facts(id)))
  return [
    await compare(`selecting ${SELECTED} due charges`, select, large, small, progress),
    await compare('the same with the facts of each decision', selectWithFacts, large, small, progress),
  ]
}

/** Asks both in turns, so that the rest of the machine meets both alike. */
async function compare(
  name: string,
  ask: Ask,
  large: Side,
  small: Side,
  progress: (line: string) => void,
): Promise<BenchResult> {
  const time = async (side: Side): Promise<number> => {
    const started = performance.now()
    await ask(side)
    return performance.now() - started
  }
  for (let round = 0; round < WARM_UP; round += 1) await Promise.all([time(large), time(small)])
  const times: { readonly ours: number; readonly baseline: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const isOursFirst = round % 2 === 0
    const first = await time(isOursFirst ? large : small)
    const second = await time(isOursFirst ? small : large)
    times.push(isOursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first })
  }
  const ours = median(times.map((one) => one.ours))
  const baseline = median(times.map((one) => one.baseline))
  progress(`${name}: ${ours.toFixed(1)} ms, ${baseline.toFixed(1)} ms`)
  return {
    name,
    ours,
    baseline,
    unit: 'ms',
    ratio: ours / baseline,
    target: { atMost: MAX_GROWTH },
    detail: `median of ${ROUNDS}, ${LARGE.toLocaleString('en')} subscriptions against ${SMALL.toLocaleString('en')}; of each, one in ten is due`,
  }
}
