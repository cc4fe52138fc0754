// Held money: the status shows it. It goes to the address that the operator names, in full and once, and no other
// transfer reserves it.

import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideRelease, type ReleaseOrder } from '#core/payments/machine/release.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { bookExhausted, bookHeld, bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import { SENDER_UNKNOWN, TOO_SMALL } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { Position } from '#core/payments/position/position.ts'
import { FAILED_TOO_OFTEN } from '#core/payments/returns/return-state.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  accountFor,
  addressNo,
  afterwards,
  arrive,
  attemptFor,
  blockedLeg,
  changeOf,
  choice,
  context,
  deposit,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  leg,
  NETWORK_FEE,
  observedDeposit,
  PLATFORM,
  PRICES,
  RENT,
  signatureNo,
  sweepOf,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const PART = 400_000n
const OWNER = addressNo(60)
const ODD_ACCOUNT = addressNo(61)
const UNKNOWN = { senders: [] }

const order = (patch: Partial<ReleaseOrder> = {}): ReleaseOrder => {
  const asset = patch.asset ?? SOL
  const isSol = asset === SOL
  return {
    asset,
    to: OWNER,
    reason: 'The exchange proved that it is theirs.',
    decimals: isSol ? 9 : 6,
    tokenProgram: isSol ? null : TOKEN_PROGRAM,
    ...patch,
  }
}
const release = (facts: IntentFacts, patch?: Partial<ReleaseOrder>) => decideRelease(facts, order(patch), context())
const released = (facts: IntentFacts, patch?: Partial<ReleaseOrder>) => {
  const change = changeOf(release(facts, patch))
  return { change, facts: afterwards(facts, change) }
}
const open = (facts: IntentFacts, kind: PaymentTransfer['kind'] = 'release'): PaymentTransfer => {
  const found = facts.transfers.find((one) => one.kind === kind && one.status === 'in_progress')
  if (found === undefined) throw new Error(`no ${kind} is under way`)
  return found
}
const carriedOut = (transfer: PaymentTransfer, error: string | null = null) =>
  landed({
    feePayer: FEE_PAYER,
    fee: makeLamports(0n),
    signature: signatureNo(900),
    ...(error === null
      ? { moves: transfer.legs.map((one) => ({ account: one.destination, asset: transfer.asset, delta: one.amount })) }
      : { error }),
  })
const end = (facts: IntentFacts, error: string | null = null, kind: PaymentTransfer['kind'] = 'release') => {
  const transfer = open(facts, kind)
  const transaction = carriedOut(transfer, error)
  return bookTransfer({ facts, transfer, attempt: attemptFor(transfer), transaction, context: context() })
}

/** An intent that an unknown sender underpaid, cancelled: the money cannot go back. */
function stuckPayment(asset: Asset = SOL, amount = PART): IntentFacts {
  const deposits = [deposit(1, amount, { asset, account: accountFor(asset), ...UNKNOWN })]
  const intent = intentWith({ status: 'underpaid', selection: choice(asset, PRICE), received: units(amount) })
  const facts = factsWith(intent, { deposits })
  return afterwards(facts, changeOf(decideCancel(facts, context())))
}

test('a release moves dust of a token that has become worth its return since it was held', () => {
  const dust = observedDeposit(1, 1_400n, { asset: MINT })
  const cancelled = factsWith(intentWith({ status: 'cancelled', selection: choice(MINT, PRICE) }))
  const atFirst = context({ prices: PRICES })
  const facts = afterwards(cancelled, changeOf(decideDeposits(cancelled, [dust], null, atFirst)))
  expect(facts.intent.held).toMatchObject([{ amount: 1_400n, reason: TOO_SMALL }])
  const dearer = context({ prices: new Map([...PRICES, [MINT, { mantissa: 2n, exponent: 0 }]]) })
  const { transfers } = changeOf(decideRelease(facts, order({ asset: MINT }), dearer))
  expect(transfers.map(({ legs }) => legs)).toEqual([[leg('release', OWNER, 1_400n)]])
})

describe('money that cannot go back', () => {
  test('is shown with its amount and its reason', () => {
    const { intent } = stuckPayment()
    expect(intent.status).toBe('refund_failed')
    expect(intent.held).toEqual([{ mint: null, amount: PART, reason: SENDER_UNKNOWN }])
  })

  test('is shown by the same event as the failure', () => {
    const facts = factsWith(intentWith({ status: 'underpaid', selection: choice(SOL, PRICE), received: units(PART) }), {
      deposits: [deposit(1, PART, { ...UNKNOWN })],
    })
    const { events } = changeOf(decideCancel(facts, context()))
    expect(events.at(-1)).toMatchObject({ type: 'intent.refund_failed', intent: { held: [{ amount: PART }] } })
  })

  test('goes to the address that the operator names, less the network fee, and the payment is refunded when it has arrived', () => {
    const { change, facts } = released(stuckPayment())
    expect(change.transfers).toMatchObject([
      {
        key: `release:intent:${pendingIntent.derivationIndex}:1:SOL`,
        kind: 'release',
        source: pendingIntent.address,
        legs: [leg('release', OWNER, PART - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
      },
    ])
    expect(change.releases).toEqual([
      { key: change.transfers[0]?.key, reason: 'The exchange proved that it is theirs.' },
    ])
    expect(eventsOf(change)).toEqual(['intent.refunding'])
    expect(change.after.held).toEqual([])

    const landing = end(facts)
    expect(eventsOf(landing)).toEqual(['intent.held_released', 'intent.refunded'])
    expect(landing.after).toMatchObject({ status: 'refunded', statusReason: null, held: [] })
  })

  test('of a token goes in full, and its emptied account is closed', () => {
    const { change, facts } = released(stuckPayment(MINT), { asset: MINT })
    expect(change.transfers[0]).toMatchObject({ tokenProgram: TOKEN_PROGRAM, legs: [leg('release', OWNER, PART)] })
    expect(end(facts).transfers).toMatchObject([{ kind: 'rent', asset: MINT }])
  })

  test('that is not above the network fee goes without a network fee', () => {
    const facts = stuckPayment(SOL, NETWORK_FEE)
    expect(released(facts).change.transfers[0]?.legs).toEqual([leg('release', OWNER, NETWORK_FEE)])
  })

  test('is released once: a repeat while it is under way changes nothing, another address is refused', () => {
    const { facts } = released(stuckPayment())
    expect(release(facts)).toEqual({ kind: 'unchanged' })
    expect(release(facts, { to: PLATFORM })).toEqual({ kind: 'refused', code: 'release_in_progress' })
    const over = afterwards(facts, end(facts))
    expect(release(over)).toEqual({ kind: 'refused', code: 'nothing_held' })
  })

  test('is not swept to the business while it is being released', () => {
    const { facts } = released(stuckPayment())
    expect(decideSweep(facts, context())).toEqual({ kind: 'refused', code: 'refund_in_progress' })
  })

  test('that is returned late is then no longer held', () => {
    const cancelled = factsWith(intentWith({ status: 'cancelled', selection: choice(SOL, PRICE) }))
    const late = arrive(cancelled, deposit(1, PART, UNKNOWN))
    expect(late.intent).toMatchObject({ status: 'cancelled', latePayments: [{ status: 'held' }] })
    const { facts } = released(late)
    expect(facts.intent.latePayments).toMatchObject([{ status: 'settling' }])
    expect(end(facts).after).toMatchObject({ status: 'cancelled', latePayments: [{ status: 'refunded' }], held: [] })
  })
})

describe('a release that does not succeed', () => {
  const reason = 'The wallet is empty.'
  const ways = {
    'failed on chain': (facts: IntentFacts) => end(facts, 'custom program error'),
    'was withdrawn before it was signed': (facts: IntentFacts) =>
      bookUndeliverable({ facts, transfer: open(facts), context: context() }, { fence: 1n }, reason, [
        blockedLeg(OWNER, 'below_rent_minimum', 'release'),
      ]),
    'never landed': (facts: IntentFacts) =>
      bookExhausted({ facts, transfer: open(facts), attempt: attemptFor(open(facts)), context: context() }, reason),
  }

  test.each(Object.entries(ways))('because it %s leaves the money held, to be released again', (_name, fail) => {
    const { facts } = released(stuckPayment())
    const after = afterwards(facts, fail(facts))
    expect(after.intent).toMatchObject({ status: 'refund_failed', held: [{ amount: PART }] })
    expect(after.intent.statusReason).not.toBeNull()
    const again = released(after, { to: PLATFORM })
    expect(again.change.transfers).toMatchObject([{ round: 2, legs: [{ role: 'release', destination: PLATFORM }, {}] }])
  })

  test.each(Object.entries(ways))('because it %s does not start a refund automatically', (_name, fail) => {
    // The sender is known, but no refund ever landed.
    const deposits = [deposit(1, PART)]
    const intent = intentWith({ status: 'underpaid', selection: choice(SOL, PRICE), received: units(PART) })
    const cancelled = afterwards(
      factsWith(intent, { deposits }),
      changeOf(decideCancel(factsWith(intent, { deposits }), context())),
    )
    const refund = open(cancelled, 'refund')
    const gone = afterwards(
      cancelled,
      bookExhausted({ facts: cancelled, transfer: refund, attempt: attemptFor(refund), context: context() }, reason),
    )
    expect(gone.intent.held).toEqual([{ mint: null, amount: PART, reason: FAILED_TOO_OFTEN }])
    const { facts } = released(gone)
    expect(fail(facts).transfers).toEqual([])
  })

  test('can be retried unchanged, but not after another release took its place', () => {
    const { facts } = released(stuckPayment())
    const { id } = open(facts)
    const failed = afterwards(facts, end(facts, 'refused'))
    const rearmed = changeOf(decideRearmed(failed, id, context()))
    expect(rearmed).toMatchObject({
      statusOverride: { transferId: id, status: 'planned' },
      after: { status: 'refunding' },
    })
    const again = released(failed, { to: PLATFORM }).facts
    expect(decideRearmed(again, id, context())).toEqual({ kind: 'refused', code: 'transfer_not_retryable' })
  })
})

describe('money that another transfer reserves is not released', () => {
  const cancelled = () => {
    const deposits = [deposit(1, PART)]
    const intent = intentWith({ status: 'underpaid', selection: choice(SOL, PRICE), received: units(PART) })
    const facts = factsWith(intent, { deposits })
    return afterwards(facts, changeOf(decideCancel(facts, context())))
  }

  test('while a refund of it is under way', () => {
    expect(release(cancelled())).toEqual({ kind: 'refused', code: 'held_money_reserved' })
  })

  test('while a transfer of it is held, and the money is shown as held', () => {
    const facts = cancelled()
    const change = bookHeld(
      { facts, transfer: open(facts, 'refund'), context: context() },
      { fence: 1n },
      'It is frozen.',
    )
    const after = afterwards(facts, change)
    expect(after.intent.held).toEqual([{ mint: null, amount: PART, reason: 'It is frozen.' }])
    expect(after.intent.refunds).toEqual([])
    expect(release(after)).toEqual({ kind: 'refused', code: 'held_money_reserved' })
  })

  test('while a sweep takes it', () => {
    const paid = intentWith({ status: 'settling', selection: choice(SOL, PRICE), received: units(PRICE) })
    const facts = factsWith(paid, {
      deposits: [deposit(1, PRICE, { ...UNKNOWN })],
      transfers: [sweepOf()],
    })
    expect(release(facts)).toEqual({ kind: 'refused', code: 'held_money_reserved' })
  })

  test('but the rent reserve, which goes last, blocks nothing', () => {
    const swept = intentWith({ status: 'swept', selection: choice(SOL, PRICE), received: units(PRICE + 2_000_000n) })
    const facts = factsWith(swept, {
      deposits: [deposit(1, PRICE + 2_000_000n, { ...UNKNOWN })],
      transfers: [
        sweepOf({ status: 'done', legs: [leg('merchant', MERCHANT, PRICE - 900_000n)] }),
        sweepOf({
          id: 'transfer-2',
          key: 'sweep:intent:42:1:rest',
          portion: 'rent_reserve',
          round: 2,
          legs: [leg('merchant', MERCHANT, 900_000n)],
        }),
      ],
    })
    expect(released(facts).change.transfers).toMatchObject([{ legs: [leg('release', OWNER, 1_995_000n), {}] }])
  })

  test('nor money of the business', () => {
    const paid = intentWith({ status: 'settle_failed', selection: choice(SOL, PRICE), received: units(PRICE) })
    const facts = factsWith(paid, { deposits: [deposit(1, PRICE, { ...UNKNOWN })] })
    expect(release(facts)).toEqual({ kind: 'refused', code: 'nothing_held' })
  })
})

describe('held money, while dust arrives', () => {
  test('leaves the rent minimum after a release that failed on chain, and shows it as held when the release landed', () => {
    const failed = released(stuckPayment(SOL, PRICE)).facts
    const { change, facts } = released(afterwards(failed, end(failed, 'InsufficientFundsForRent')))
    expect(change.transfers).toMatchObject([{ legs: [leg('release', OWNER, PRICE - NETWORK_FEE - RENT), {}] }])
    expect(end(facts).after).toMatchObject({ status: 'refund_failed', held: [{ amount: RENT }] })
  })
})

describe('an excess without a known sender', () => {
  test('is held after the sweep, and released without changing the status', () => {
    const swept = intentWith({ status: 'swept', selection: choice(MINT, PRICE), received: units(PRICE + 7n) })
    const facts = factsWith(swept, {
      deposits: [deposit(1, PRICE + 7n, { asset: MINT, ...UNKNOWN })],
      transfers: [
        sweepOf({ asset: MINT, tokenProgram: TOKEN_PROGRAM, status: 'done', legs: [leg('merchant', MERCHANT, PRICE)] }),
      ],
    })
    const { change, facts: after } = released(facts, { asset: MINT })
    expect(change.transfers).toMatchObject([{ legs: [leg('release', OWNER, 7n)] }])
    expect(change.after.status).toBe('swept')
    expect(end(after).after).toMatchObject({ status: 'swept', statusReason: null, held: [] })
    expect(decideSweep(after, context())).toEqual({ kind: 'refused', code: 'refund_in_progress' })
    expect(eventsOf(end(after))).toEqual(['intent.held_released'])
  })
})

describe('money in other token accounts than the associated one', () => {
  const unaccepted = (number: number, amount: bigint, account = ODD_ACCOUNT) =>
    deposit(number, amount, { asset: MINT, account, use: 'unaccepted', ...UNKNOWN })
  const odd = unaccepted(7, 70n)
  const ended = intentWith({ status: 'cancelled', selection: choice(MINT, PRICE) })
  const withApart = (...deposits: readonly Deposit[]) => factsWith(ended, { deposits })
  const releasesOf = ({ transfers }: IntentFacts) => transfers.filter(({ kind }) => kind === 'release')

  test('leaves each account by its own transfer, next to the money in the associated account', () => {
    const stuck = stuckPayment(MINT)
    const { change, facts } = released(
      { ...stuck, deposits: [...stuck.deposits, odd, unaccepted(8, 90n, addressNo(63))] },
      { asset: MINT },
    )
    const index = pendingIntent.derivationIndex
    expect(change.transfers).toMatchObject([
      { key: `release:intent:${index}:1:${MINT}`, sourceAccount: null, legs: [leg('release', OWNER, PART)] },
      {
        key: `release:account:${index}:1:${addressNo(63)}`,
        sourceAccount: addressNo(63),
        legs: [leg('release', OWNER, 90n)],
      },
      {
        key: `release:account:${index}:1:${ODD_ACCOUNT}`,
        sourceAccount: ODD_ACCOUNT,
        legs: [leg('release', OWNER, 70n)],
      },
    ])
    expect(facts.intent.held).toEqual([])
  })

  test('is shown with its reason, and closes the account that it leaves', () => {
    const facts = withApart(odd)
    const { after } = complete(new Position(facts, context()))
    expect(after.held).toEqual([
      { mint: MINT, amount: 70n, reason: 'It is in another token account than the associated one of the address.' },
    ])
    const change = end(released(facts, { asset: MINT }).facts)
    expect(change.transfers).toMatchObject([{ kind: 'rent', sourceAccount: ODD_ACCOUNT, legs: [] }])
    expect(change.after).toMatchObject({ status: 'cancelled', held: [] })
  })

  test('keeps its own account open only', () => {
    const stuck = stuckPayment(MINT)
    const { facts } = released({ ...stuck, deposits: [...stuck.deposits, odd] }, { asset: MINT })
    const [own] = releasesOf(facts)
    const alone = { ...facts, transfers: facts.transfers.filter(({ id }) => id === own?.id) }
    expect(end(alone).transfers).toMatchObject([{ kind: 'rent', sourceAccount: null }])
    expect(end(alone).after).toMatchObject({ status: 'refunded', held: [{ mint: MINT, amount: 70n }] })
  })

  test('leaves the ten accounts with the most, and the others by the next order', () => {
    const deposits = Array.from({ length: 12 }, (_, at) => unaccepted(100 + at, BigInt(1 + at), addressNo(200 + at)))
    const { facts } = released(withApart(...deposits), { asset: MINT })
    const amounts = releasesOf(facts).map(({ legs }) => legs[0]?.amount)
    expect(amounts).toEqual([12n, 11n, 10n, 9n, 8n, 7n, 6n, 5n, 4n, 3n])
    expect(facts.intent.held).toMatchObject([{ amount: 3n }])
    expect(changeOf(release(facts, { asset: MINT })).transfers).toMatchObject([
      { round: 2, legs: [leg('release', OWNER, 2n)] },
      { round: 2, legs: [leg('release', OWNER, 1n)] },
    ])
  })

  test('that is held in a frozen account keeps no other money', () => {
    const { facts } = released(withApart(odd), { asset: MINT })
    const frozen = afterwards(
      facts,
      bookHeld({ facts, transfer: open(facts), context: context() }, { fence: 1n }, 'It is frozen.'),
    )
    expect(frozen.intent).toMatchObject({ status: 'cancelled', held: [{ amount: 70n, reason: 'It is frozen.' }] })
    expect(release(frozen, { asset: MINT })).toEqual({ kind: 'unchanged' })
    const other = { ...frozen, deposits: [...frozen.deposits, unaccepted(9, 30n, addressNo(63))] }
    expect(changeOf(release(other, { asset: MINT })).transfers).toMatchObject([{ sourceAccount: addressNo(63) }])
    const late = arrive(frozen, deposit(8, 50n, { asset: MINT, slot: 3_000n }))
    expect(late.intent).toMatchObject({ status: 'refunding', latePayments: [{ amount: 50n, status: 'settling' }] })
  })

  test('does not change the status of a payment whose refund failed', () => {
    const stuck = { ...stuckPayment(MINT), transfers: [] }
    const both = { ...stuck, deposits: [...stuck.deposits, odd] }
    const { facts } = released(both, { asset: MINT })
    const [own, lying] = releasesOf(facts)
    if (own === undefined || lying === undefined) throw new Error('both are released')
    const failed = { ...facts, intent: both.intent, transfers: [lying] }
    expect(end(failed, 'refused').after.status).toBe('refund_failed')
  })

  test('is retried from its own account, also after a later release from another', () => {
    const { facts } = released(withApart(odd), { asset: MINT })
    const { id } = open(facts)
    const failed = afterwards(facts, end(facts, 'refused'))
    expect(failed.intent.held).toMatchObject([{ amount: 70n }])
    expect(decideRearmed(failed, id, context())).toMatchObject({ kind: 'moved' })
    const elsewhere = { ...failed.transfers, round: 2, status: 'done' as const }
    const [lying] = failed.transfers
    if (lying === undefined) throw new Error('it is there')
    const others = [null, addressNo(63)].map((sourceAccount, at) => ({
      ...lying,
      ...elsewhere,
      id: `other-${at}`,
      sourceAccount,
    }))
    expect(decideRearmed({ ...failed, transfers: [lying, ...others] }, id, context())).toMatchObject({ kind: 'moved' })
    const again = { ...lying, id: 'again', round: 2, status: 'done' as const }
    expect(decideRearmed({ ...failed, transfers: [lying, again] }, id, context())).toMatchObject({ kind: 'refused' })
  })

  test('is not mistaken for a late payment that is on its way back', () => {
    const gone = afterwards(withApart(odd), changeOf(release(withApart(odd), { asset: MINT })))
    const over = afterwards(gone, end(gone))
    const late = arrive(over, deposit(8, 50n, { asset: MINT, slot: 3_000n }))
    expect(late.intent.latePayments).toMatchObject([{ amount: 50n, status: 'settling' }])
  })
})

test('money that is worth less than its return is shown as held too', () => {
  const deposits = [deposit(1, 4_000n)]
  const facts = factsWith(intentWith({ status: 'underpaid', selection: choice(SOL, PRICE), received: units(4_000n) }), {
    deposits,
  })
  const { after } = changeOf(decideCancel(facts, context()))
  expect(after.held).toEqual([{ mint: null, amount: 4_000n, reason: TOO_SMALL }])
})
