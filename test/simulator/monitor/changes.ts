// Checks every change of an intent when it is written: documented, emitted once, and in agreement with the chain.
// docs/money.md, "Invariants", 1, 4 and 8.
import type { Address, Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import { type IntentStatus, type PaymentIntent, WINDOW_ENDED } from '#core/payments/payment-intent.ts'
import type { NewLedgerEntry } from '#core/transfers/transfer.ts'
import { timeOf } from '../chain/chain.ts'
import { holdingOf } from '../chain/raw.ts'
import { holdingPlace } from '../chain/wallets.ts'
import { trueSolCents } from '../prices.ts'
import type { Stage } from '../stage.ts'
import { virtualNow } from '../virtual-time.ts'
import type { Ground } from '../world.ts'
import type { Findings } from './findings.ts'
import type { Memory } from './memory.ts'
import { announcementOf, isDocumented, type Transition } from './transitions.ts'

export function watchChanges(
  ground: Pick<Ground, 'chain' | 'faults'>,
  stage: Pick<Stage, 'mints'>,
  findings: Findings,
  memory: Memory,
  /** Whether the database has forgotten money that left the address. */
  isBelowBooks: (address: Address) => boolean,
) {
  const { chain, faults } = ground
  const reached = new Map<string, number>()
  const statuses = memory.map<string, IntentStatus>()
  const settling = new Map<string, PromiseWithResolvers<void>>()

  const settlingOf = (intentId: string): PromiseWithResolvers<void> => {
    const known = settling.get(intentId) ?? Promise.withResolvers()
    settling.set(intentId, known)
    return known
  }

  /** Each entry is the effect of a final transaction on that account. */
  const checkLedger = (entries: readonly NewLedgerEntry[]): void => {
    for (const { signature, account, asset, delta, slot } of entries) {
      const landed = chain.landed(signature)
      const real = landed?.effects.find((effect) => effect.account === account && effect.asset === asset)?.delta ?? 0n
      findings.check(
        'the ledger contains the effects of final transactions',
        landed !== null && landed.slot === slot && landed.slot <= chain.finalized && real === delta,
        () =>
          `${signature.slice(0, 8)} ${account} ${asset}: booked ${delta} in ${slot}, and it is ${real} in ${landed?.slot}; final is ${chain.finalized}`,
      )
    }
  }

  const checkDeposits = ({ deposits }: IntentChange): void => {
    for (const { signature, account, asset, amount, use } of deposits) {
      const isStrange = asset !== SOL && !stage.mints.has(asset)
      findings.check(
        'only tokens that are not allowed are unaccepted',
        use !== 'unaccepted' || isStrange,
        () => `${amount} ${asset}`,
      )
      const landed = chain.landed(signature)
      const real = landed?.effects.find((effect) => effect.account === account && effect.asset === asset)?.delta ?? 0n
      findings.check(
        'a deposit agrees with the chain',
        landed !== null && real === amount && landed.slot <= chain.finalized,
        () => `${signature.slice(0, 8)}: ${amount}, really ${real}`,
      )
    }
  }

  const checkPath = (change: IntentChange): void => {
    const { before, after, events } = change
    const path: PaymentIntent[] = [before, ...events.map(({ intent }) => intent), after]
    let arrivals = 0
    for (const [at, intent] of path.entries()) {
      const from = path[at - 1]
      if (from === undefined || from.status === intent.status) continue
      count(from.status, intent.status)
      arrivals += 1
      findings.check(
        'only documented transitions',
        isDocumented(from.status, intent.status),
        () => `${from.status} to ${intent.status}`,
      )
      const type = announcementOf(intent.status)
      const reported = events.filter((event) => event.type === type && event.intent.version === intent.version)
      findings.check(
        'one event for each transition',
        type === null || reported.length === 1,
        () => `${intent.status} was emitted ${reported.length} times`,
      )
    }
    // A status may be emitted again with other amounts: more of an underpayment.
    for (const { type, intent } of events) {
      if (arrivals === 0 && announcementOf(intent.status) === type) count(before.status, intent.status)
    }
    if (events.some(({ type }) => type === 'intent.token_selected')) count('pending', 'pending')
    const versions = path.map(({ version }) => version)
    findings.check(
      'versions grow',
      after.version > before.version && versions.every((version, at) => version >= (versions[at - 1] ?? 0)),
      () => versions.join(', '),
    )
    const stamps = events.map(({ type, intent }) => `${type} ${intent.version}`)
    findings.check('one event for each transition', new Set(stamps).size === stamps.length, () => stamps.join(', '))
  }

  const countStep = (name: string): void => void reached.set(name, (reached.get(name) ?? 0) + 1)
  const count = (from: IntentStatus, to: IntentStatus): void => countStep(`${from} → ${to}` satisfies Transition)

  const balanceAt = (address: Address, asset: Asset, slot: bigint): bigint => {
    const mint = stage.mints.get(asset)
    if (asset === SOL || mint === undefined) return chain.accountAt(address, slot)?.lamports ?? 0n
    return holdingOf(chain.accountAt(holdingPlace(address, mint), slot))?.amount ?? 0n
  }

  const checkPlans = ({ transfers, after }: IntentChange): void => {
    for (const { asset, legs, kind } of transfers) {
      if (kind === 'rent') continue
      const total = legs.reduce((sum, { amount }) => sum + amount, 0n)
      const there = balanceAt(after.address, asset, chain.finalized)
      findings.check(
        'a transfer is planned from final money only',
        total <= there || isBelowBooks(after.address),
        () => `${kind} of ${total} ${asset}, of ${there}`,
      )
    }
  }

  const checkWindow = ({ before, after }: IntentChange): void => {
    if (before.status !== 'pending' || after.statusReason !== WINDOW_ENDED) return
    const block = timeOf(chain.tip)
    findings.check(
      'a window ends by the chain’s clock',
      block > after.expiresAt,
      () => `ended at ${block.toISOString()}, and not ${after.expiresAt.toISOString()}`,
    )
  }

  const checkRate = ({ before, after }: IntentChange): void => {
    const { selection } = after
    if (selection === null || selection === before.selection) return
    const unit = 10n ** BigInt(selection.decimals)
    // Within the prices of two hours, and below the price only by the spread of the feeds.
    const rates = selection.asset === SOL ? [0, 3_600_000].map((ago) => trueSolCents(virtualNow() - ago)) : [100n]
    const cents = Number(after.priceUsdCents)
    const worth = rates.map((rate) => Number(selection.expected * rate) / Number(unit))
    // Both feeds agree unless one exaggerates.
    const isExact = faults.counts['price spike'] === 0
    const isTrue = isExact
      ? rates.some((rate) => selection.expected === dividedUp(after.priceUsdCents * unit, rate))
      : worth.some((value) => Math.abs(value - cents) / cents < 0.03)
    findings.check(
      'a rate is a market rate, rounded up',
      isTrue,
      () => `${selection.expected} of ${selection.asset} for ${cents} cents`,
    )
  }

  return {
    reached,
    /** Counts a documented step of another thing than a payment. */
    count: countStep,
    /** Pending until the first event. */
    statusOf: (intentId: string): IntentStatus => statuses.get(intentId) ?? 'pending',
    /** Resolves when a settlement of the payment is planned for the first time. */
    onceSettling: (intentId: string): Promise<void> => settlingOf(intentId).promise,
    checkLedger,
    onApplied(change: IntentChange): void {
      statuses.set(change.after.id, change.after.status)
      if (change.after.status === 'settling') settlingOf(change.after.id).resolve()
      checkLedger(change.ledger)
      checkDeposits(change)
      checkPath(change)
      checkPlans(change)
      checkWindow(change)
      checkRate(change)
    },
  }
}

const dividedUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b
