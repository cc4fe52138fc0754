// Checks what became of each payment: a price that was paid in time has settled, no other has, and money with a known
// owner has gone back. docs/contract.md, "Statuses and transitions".
import { type Asset, SOL } from '#core/chain/types.ts'
import { isTight } from '../stage.ts'
import { finalBalance, placesOf } from './conservation.ts'
import type { Ending } from './ending.ts'
import type { Inflow } from './evidence.ts'
import { type Check, sum, type Terms } from './figures.ts'
import type { Reported } from './reported.ts'

/** The statuses of a payment whose price is for the business. */
const SETTLES: ReadonlySet<string> = new Set(['swept', 'settle_failed'])

export function checkOutcome(ending: Ending, reported: Reported, terms: Terms, check: Check): void {
  checkPrice(ending, reported, terms, check)
  for (const place of placesOf(ending.stage, reported)) {
    if (!hasKnownOwners(ending, reported, place.asset)) continue
    const left = finalBalance(ending.ground, place)
    check(
      'money with a known owner does not stay',
      left <= tooSmall(ending, reported, place.asset),
      () => `${left} ${place.asset}`,
    )
  }
}

const finalPayments = ({ monitor }: Ending, { address }: Reported, asset: Asset): readonly Inflow[] =>
  monitor.figures.evidence
    .inflows(address, asset)
    .filter(({ signature }) => monitor.figures.evidence.isFinal(signature))

/** A price that was paid within the window is for the business, and nothing else is that it did not ask for. */
function checkPrice(ending: Ending, reported: Reported, { expiresAt }: Terms, check: Check): void {
  const { asset, expected, index, status } = reported
  const { monitor, ground } = ending
  const payments = asset === null ? [] : finalPayments(ending, reported, asset)
  const paid = (isInTime: (times: readonly number[]) => boolean): bigint =>
    sum(payments.filter(({ times }) => isInTime(times)).map(({ amount }) => amount))
  const settles = SETTLES.has(status)
  // A node that lies shows no block times.
  if (expected === null || ground.faults.counts['provider lying'] > 0) return
  const surely = paid((times) => times.every((time) => time <= expiresAt))
  check(
    'a price that is paid in time settles',
    settles || surely < expected || monitor.cancels.has(index),
    () => `${surely} of ${expected} ${asset} came in time`,
  )
  const perhaps = paid((times) => times.some((time) => time <= expiresAt))
  check(
    'only a price that is paid in time settles',
    !settles || perhaps >= expected || monitor.onDemand.has(index),
    () => `${perhaps} of ${expected} ${asset} came in time`,
  )
}

/** Every payment of the asset is of one wallet that can be paid back, and no stranger, mishap or person came between. */
function hasKnownOwners(ending: Ending, reported: Reported, asset: Asset): boolean {
  const { ground, monitor, stage } = ending
  const { address, id, index } = reported
  const isOwn = ({ signature, signers, payers }: Inflow): boolean =>
    monitor.payments.has(signature) && signers === 1 && payers.every((payer) => !stage.custodians.has(payer))
  const hasFailed = ground.chain.all().some(({ keys, error }) => error !== null && keys.includes(address))
  const isReturnable = asset === SOL || MISHAPS.every((fault) => ground.faults.counts[fault] === 0)
  return (
    monitor.figures.evidence.inflows(address).every(isOwn) &&
    isReturnable &&
    !hasFailed &&
    !isTight(stage.refundBudget) &&
    !monitor.onDemand.has(index) &&
    !ground.released.has(index) &&
    !ground.rearms.has(id)
  )
}

/** A wallet without an account, and a token without a price, get nothing back automatically. */
const MISHAPS = ['account frozen', 'account closed', 'price feed down', 'price stale', 'price spike'] as const

/** What is too little to be returned, of each payment: lamports, or a cent of a token. */
function tooSmall(ending: Ending, reported: Reported, asset: Asset): bigint {
  const mint = ending.stage.mints.get(asset)
  const one = mint === undefined ? 20_000n : 10n ** BigInt(mint.decimals) / 100n
  return one * BigInt(finalPayments(ending, reported, asset).length)
}
