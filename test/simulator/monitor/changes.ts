// Every change of an intent as it is written: documented, told once, and true on the chain. docs/money.md,
// "Invariants", 1, 4 and 8.
import type { Address, Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/machine/change.ts'
import { WINDOW_ENDED } from '#core/payments/machine/checkout.ts'
import type { IntentStatus, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { NewLedgerEntry } from '#core/transfers/transfer.ts'
import { timeOf } from '../chain/chain.ts'
import { holdingOf } from '../chain/raw.ts'
import { holdingPlace } from '../chain/wallets.ts'
import { trueSolCents } from '../prices.ts'
import type { Stage } from '../stage.ts'
import { virtualNow } from '../virtual-time.ts'
import type { Ground } from '../world.ts'
import type { Findings } from './findings.ts'
import { announcementOf, isDocumented, type Transition } from './transitions.ts'

export function watchChanges(ground: Pick<Ground, 'chain'>, stage: Pick<Stage, 'mints'>, findings: Findings) {
  const { chain } = ground
  const reached = new Map<Transition, number>()
  const statuses = new Map<string, IntentStatus>()

  /** Each entry is what a final transaction did to that account. */
  const checkLedger = (entries: readonly NewLedgerEntry[]): void => {
    for (const { signature, account, asset, delta, slot } of entries) {
      const landed = chain.landed(signature)
      const real = landed?.effects.find((effect) => effect.account === account && effect.asset === asset)?.delta ?? 0n
      findings.check(
        'the ledger tells what final transactions did',
        landed !== null && landed.slot === slot && landed.slot <= chain.finalized && real === delta,
        () =>
          `${signature.slice(0, 8)} ${account} ${asset}: booked ${delta} in ${slot}, and it is ${real} in ${landed?.slot}; final is ${chain.finalized}`,
      )
    }
  }

  const checkDeposits = ({ deposits }: IntentChange): void => {
    for (const { signature, account, asset, amount, state, use } of deposits) {
      const isStrange = asset !== SOL && !stage.mints.has(asset)
      findings.check(
        'only what is not allowed is held as strange',
        use !== 'unaccepted' || isStrange,
        () => `${amount} ${asset}`,
      )
      if (state === 'dropped') continue
      const landed = chain.landed(signature)
      const real = landed?.effects.find((effect) => effect.account === account && effect.asset === asset)?.delta ?? 0n
      // What was seen confirmed a fork may have taken away since.
      const holds =
        state === 'final'
          ? landed !== null && real === amount && landed.slot <= chain.finalized
          : landed === null || real === amount
      findings.check(
        'a deposit is what the chain says',
        holds,
        () => `${signature.slice(0, 8)}: ${state} ${amount}, really ${real}`,
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
      const told = events.filter((event) => event.type === type && event.intent.version === intent.version)
      findings.check(
        'one event for each transition',
        type === null || told.length === 1,
        () => `${intent.status} was told ${told.length} times`,
      )
    }
    // A status that is announced again with other figures: more of an underpayment.
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

  const count = (from: IntentStatus, to: IntentStatus): void => {
    const name: Transition = `${from} → ${to}`
    reached.set(name, (reached.get(name) ?? 0) + 1)
  }

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
        'nothing is planned that is not there, final',
        total <= there,
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
    // Within two hours of the world's prices, and never below the price but by the feeds' own spread.
    const rates = selection.asset === SOL ? [0, 3_600_000].map((ago) => trueSolCents(virtualNow() - ago)) : [100n]
    const cents = Number(after.priceUsdCents)
    const worth = rates.map((rate) => Number(selection.expected * rate) / Number(unit))
    const isTrue = worth.some((value) => Math.abs(value - cents) / cents < 0.03)
    findings.check(
      'a rate is a true one, rounded up',
      isTrue,
      () => `${selection.expected} of ${selection.asset} for ${cents} cents`,
    )
  }

  return {
    reached,
    /** Pending for as long as nothing else was heard. */
    statusOf: (intentId: string): IntentStatus => statuses.get(intentId) ?? 'pending',
    checkLedger,
    onApplied(change: IntentChange): void {
      statuses.set(change.after.id, change.after.status)
      checkLedger(change.ledger)
      checkDeposits(change)
      checkPath(change)
      checkPlans(change)
      checkWindow(change)
      checkRate(change)
    },
  }
}
