// Random steps of an intent in any order: the rules that hold after every step, and a proof that the steps reach every
// transition of the table.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyActor } from '#core/accounts/audit.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Decision, IntentFacts } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel, decideExpiry, decideSelection } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideApproval, decideDecline, decideProposal } from '#core/payments/machine/refund-address.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { bookExhausted } from '#core/payments/machine/withdraw.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import { isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import { isDocumented, TRANSITIONS } from '#core/payments/transitions.ts'

import { MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  attemptFor,
  choice,
  context,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  later,
  OTHER_MINT,
  observedDeposit,
  PAYEE,
  signatureNo,
  units,
} from '../../../support/payment.ts'

const ACTOR = keyActor('live', 'x7Qa', '203.0.113.9')
const PRICE = 1_000_000n
const READ_PAST_THE_END = new Date(pendingIntent.expiresAt.getTime() + 1)
const SENDERS = [addressNo(1), addressNo(2), null]

type Happening = {
  readonly what: (typeof HAPPENINGS)[number]
  readonly amount: bigint
  readonly which: number
  readonly sender: Address | null
}
const HAPPENINGS = [
  'pay',
  'pay',
  'pay in another asset',
  'choose',
  'window ends',
  'cancel',
  'sweep now',
  'transfer lands',
  'transfer lands',
  'transfer fails',
  'attempts die',
  're-arm',
  'propose an address',
  'approve an address',
  'decline an address',
] as const
const happening = fc.record({
  what: fc.constantFrom(...HAPPENINGS),
  amount: fc.constantFrom(1n, 400_000n, 600_000n, PRICE, PRICE + 70_000n),
  which: fc.nat(9),
  sender: fc.constantFrom(...SENDERS, ...SENDERS.slice(0, 2)),
})

const NOTHING: Decision = { kind: 'unchanged' }
const underWay = ({ transfers }: IntentFacts) =>
  transfers.filter(({ kind, status }) => kind !== 'rent' && status === 'in_progress')

function decide(facts: IntentFacts, { what, amount, which, sender }: Happening, number: number): Decision {
  const senders = sender === null ? [] : [{ address: sender, amount: units(amount) }]
  switch (what) {
    case 'pay': {
      const asset = facts.intent.selection?.asset ?? SOL
      return decideDeposits(facts, [observedDeposit(number, amount, { asset, senders })], choice(SOL, PRICE), context())
    }
    case 'pay in another asset': {
      const assets: readonly Asset[] = [SOL, MINT, OTHER_MINT]
      const asset = assets[which % 3] ?? SOL
      return decideDeposits(
        facts,
        [observedDeposit(number, amount, { asset, senders })],
        choice(asset, PRICE),
        context(),
      )
    }
    case 'choose':
      return decideSelection(facts, choice(which % 2 === 0 ? SOL : MINT, PRICE), later(1))
    case 'window ends':
      return decideExpiry(facts, which < 3 ? READ_PAST_THE_END : later(0), context({ now: later(700) }))
    case 'cancel':
      return which < 3 ? decideCancel(facts, context()) : NOTHING
    case 'sweep now':
      return which < 3 ? decideSweep(facts, context()) : NOTHING
    case 'propose an address':
      return decideProposal(facts, addressNo(90 + (which % 2)), context())
    case 'approve an address':
      return decideApproval(facts, { address: addressNo(90 + (which % 2)), actor: ACTOR }, context())
    case 'decline an address':
      return decideDecline(facts, { address: addressNo(90 + (which % 2)), actor: ACTOR, reason: 'No.' }, context())
    case 're-arm': {
      const failed = facts.transfers.filter(({ status }) => status === 'failed').at(-1 - (which % 2))
      return failed === undefined ? NOTHING : decideRearmed(facts, failed.id, context())
    }
    default: {
      const list = underWay(facts)
      const transfer = list[which % Math.max(1, list.length)]
      return transfer === undefined ? NOTHING : end(facts, transfer, what, number)
    }
  }
}

function end(facts: IntentFacts, transfer: PaymentTransfer, how: Happening['what'], number: number): Decision {
  const attempt = attemptFor(transfer)
  if (how === 'attempts die') {
    return { kind: 'moved', change: bookExhausted({ facts, transfer, attempt, context: context() }, 'they died') }
  }
  const moves = transfer.legs.map(({ destination, amount }) => ({
    account: destination,
    asset: transfer.asset,
    delta: amount,
  }))
  const transaction = landed({
    signature: signatureNo(1_000 + number),
    feePayer: FEE_PAYER,
    fee: makeLamports(0n),
    ...(how === 'transfer fails' ? { error: 'refused' } : { moves }),
  })
  return { kind: 'moved', change: bookTransfer({ facts, transfer, attempt, transaction, context: context() }) }
}

const STATUS_EVENTS: ReadonlySet<string> = new Set(INTENT_STATUSES.map((status) => `intent.${status}`))

/** Checks that every transition of the change is documented, and has exactly one event. */
function checkStep(facts: IntentFacts, decision: Decision, reached: Set<string>): IntentFacts {
  if (decision.kind !== 'moved') return facts
  const { before, after, events } = decision.change
  const course = [before, ...events.map(({ intent }) => intent), after]
  const moves: IntentStatus[] = []
  for (const [at, { status }] of course.entries()) {
    const from = course[at - 1]?.status ?? status
    if (status === from) continue
    moves.push(status)
    reached.add(`${from} → ${status}`)
    expect(isDocumented(from, status), `${from} → ${status}`).toBe(true)
  }
  const emitted = events.filter(({ type }) => STATUS_EVENTS.has(type))
  for (const { type, intent } of emitted) expect(type).toBe(`intent.${intent.status}`)
  const again = emitted.filter(({ intent }, at) => intent.status === (emitted[at - 1]?.intent ?? before).status)
  for (const { intent } of again) {
    reached.add(`${intent.status} → ${intent.status}`)
    expect(isDocumented(intent.status, intent.status), `${intent.status} emitted again`).toBe(true)
  }
  if (events.some(({ type }) => type === 'intent.token_selected')) reached.add('pending → pending')
  expect(emitted).toHaveLength(moves.length + again.length)

  const versions = course.slice(0, -1).map(({ version }) => version)
  expect(new Set(versions).size).toBe(versions.length)
  expect([...versions, after.version]).toEqual([...versions, after.version].sort((a, b) => a - b))
  expect(after.version).toBeGreaterThan(before.version)
  return afterwards(facts, decision.change)
}

const totalOf = (list: readonly { readonly amount: bigint }[]) => list.reduce((sum, { amount }) => sum + amount, 0n)

function checkFacts(facts: IntentFacts): void {
  const { intent, transfers, deposits } = facts
  if (['pending', 'underpaid', 'paid', 'overpaid', 'settling'].includes(intent.status)) {
    expect(intent.received).toBe(totalOf(deposits.filter(({ use }) => use === 'applied')))
  }
  const sweeps = underWay(facts).filter((one) => one.kind === 'sweep' && !isRentReserve(one))
  // Checks that a status of work under way has work under way, which ends it.
  expect(sweeps.length).toBeLessThanOrEqual(1)
  if (intent.status === 'settling') expect(sweeps).toHaveLength(1)
  if (intent.status === 'refunding') expect(underWay(facts).length).toBeGreaterThan(0)
  expect(new Set(transfers.map(({ key }) => key)).size).toBe(transfers.length)

  const done = transfers.filter(({ kind, status }) => kind === 'sweep' && status === 'done')
  expect(totalOf(intent.settlement?.legs ?? [])).toBe(totalOf(done.flatMap(({ legs }) => legs)))
  for (const asset of [SOL, MINT, OTHER_MINT] as const) {
    const promised = transfers.filter((one) => one.asset === asset && one.status !== 'failed')
    const legs = promised.flatMap((transfer) => transfer.legs)
    const arrived = deposits.filter((one) => one.asset === asset)
    expect(totalOf(legs), `no more ${asset} is reserved than arrived`).toBeLessThanOrEqual(totalOf(arrived))
    const leaving = promised.filter((one) => one.status === 'in_progress' && !isRentReserve(one))
    expect(leaving.filter(({ kind }) => kind !== 'rent').length).toBeLessThan(2)
  }
}

test('an intent takes only documented transitions, emits each once, reserves no unit twice and never waits without work', () => {
  const reached = new Set<string>()
  const course = fc.record({
    happenings: fc.array(happening, { minLength: 5, maxLength: 30 }),
    selected: fc.constantFrom<Asset | null>(null, SOL, SOL, MINT),
    hasDestination: fc.nat(9).map((draw) => draw > 0),
  })
  fc.assert(
    fc.property(course, ({ happenings, selected, hasDestination }) => {
      const selection = selected === null ? null : choice(selected, PRICE)
      const payee = hasDestination ? PAYEE : { ...PAYEE, sweepDestination: null }
      let facts = factsWith(intentWith({ selection }), { payee })
      for (const [number, one] of happenings.entries()) {
        facts = checkStep(facts, decide(facts, one, number), reached)
        checkFacts(facts)
      }
    }),
    { numRuns: 2_000, seed: 20_261_120 },
  )
  const table = Object.entries(TRANSITIONS).flatMap(([from, row]) => Object.keys(row).map((to) => `${from} → ${to}`))
  expect([...reached].sort()).toEqual(table.sort())
}, 60_000)
