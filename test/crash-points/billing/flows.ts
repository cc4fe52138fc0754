// The flows of recurring billing: a checkout with its first charge, the charge of a period, a change of terms, a cancel.
import { ServiceError } from '#core/errors.ts'
import { signatureBy, signedBy } from '../../support/approves.ts'
import type { BillingFlow, BillingStep } from './run-flow.ts'
import { type BillingEnding, FEE, SLOTS_OF_A_DAY, UNIT } from './world.ts'

/** The subscriber signs the prepared approve, and sends it until the checkout is completed. */
const approve: BillingStep = async ({ token, owner }, { checkout }) => {
  try {
    const prepared = await checkout.prepareCheckout(token, owner.address)
    if (!prepared.requiresSignature) throw new Error('the wallet has no allowance')
    const { subscriptionId, transaction: wire } = prepared
    const transaction = signedBy(owner, { wire, message: wire.subarray(129) })
    return (await checkout.activateCheckout(token, { subscriptionId, transaction })).status === 'completed'
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'checkout_completed') return true
    // The crash took longer than a blockhash lives: the page asks for another transaction.
    if (error.code === 'blockhash_expired') return false
    throw error
  }
}

/** The subscriber signs a text: the allowance has room. */
const confirm: BillingStep = async ({ token, owner }, { checkout }) => {
  try {
    const prepared = await checkout.prepareCheckout(token, owner.address)
    if (prepared.requiresSignature) throw new Error('the allowance has room')
    const { nonce, message } = prepared.challenge
    const signature = Buffer.from(signatureBy(owner, new TextEncoder().encode(message))).toString('base64')
    const answer = { wallet: owner.address, nonce, signature }
    return (await checkout.confirmCheckout(token, answer)).status === 'completed'
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'checkout_completed') return true
    throw error
  }
}

/** The subscriber authorizes all periods again, and sends the approve until the subscription is renewed. */
const renew: BillingStep = async ({ token, owner }, { portal }) => {
  try {
    const offered = await portal.renewInPortal(token, {})
    if (offered.outcome !== 'approval_required') throw new Error('the allowance has no room')
    const { approvalId, transaction: wire } = offered.approve
    const transaction = signedBy(owner, { wire, message: wire.subarray(129) })
    return (await portal.activateInPortal(token, { approvalId, transaction })) !== null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'nothing_to_renew') return true
    if (error.code === 'blockhash_expired') return false
    throw error
  }
}

const aDayPasses: BillingStep = async ({ pass }) => {
  pass(SLOTS_OF_A_DAY)
  return true
}

/** Waits until the charge of the period is planned. */
const untilPlanned =
  (then: BillingStep): BillingStep =>
  async (world, instance) =>
    (await world.db.prisma.charge.count({ where: { periodIndex: 1 } })) > 0 && (await then(world, instance))

/** Waits until a transaction of the charge is signed: it may land whatever follows. */
const untilSigned =
  (then: BillingStep): BillingStep =>
  async (world, instance) => {
    const where = { state: { not: 'prepared' as const }, transfer: { kind: 'charge' } }
    return (await world.db.prisma.transferAttempt.count({ where })) > 0 && (await then(world, instance))
  }

/** Sends a request of the business. A repeat whose first answer was lost may be refused with `code`. */
const ask =
  (request: (...given: Parameters<BillingStep>) => Promise<unknown>, code: string): BillingStep =>
  async (world, instance) => {
    try {
      await request(world, instance)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== code) throw error
    }
    return true
  }

const cancel = (atPeriodEnd: boolean): BillingStep =>
  ask(
    async (world, { subscriptions, merchant }) =>
      await subscriptions.cancelSubscription(merchant, await world.subscriptionId(), atPeriodEnd),
    'subscription_ended',
  )

const takeCheaperTier = ask(
  async (world, { subscriptions, merchant }) =>
    await subscriptions.changeTier(merchant, await world.subscriptionId(), world.cheaper.id),
  'same_tier',
)

/** What a number of charges of one unit moved. */
const moneyOf = (charges: bigint, unit = UNIT, fee = FEE): BillingEnding['money'] => [
  charges * unit,
  charges * (unit - fee),
  charges * fee,
]

const SUBSCRIBED: BillingEnding = {
  status: 'active',
  charges: ['0 succeeded'],
  events: ['created', 'charge.created', 'charge.succeeded', 'activated'],
  money: moneyOf(1n),
}

const NOT_CHARGED: BillingEnding = {
  status: 'canceled',
  charges: ['0 succeeded', '1 canceled'],
  events: ['updated', 'charge.created', 'canceled'],
  money: moneyOf(0n),
}

/** A charge that was sent before the cancel goes on. After a crash it may be final before the cancel. */
const CHARGED_AND_CANCELED: readonly BillingEnding[] = [
  ['canceled', 'charge.succeeded'],
  ['charge.succeeded', 'canceled'],
].map((last) => ({
  status: 'canceled',
  charges: ['0 succeeded', '1 succeeded'],
  events: ['updated', 'charge.created', ...last],
  money: moneyOf(1n),
}))

export const BILLING_FLOWS: readonly BillingFlow[] = [
  {
    name: 'a checkout by an approve, and its first charge',
    beginning: 'open checkout',
    steps: [approve],
    endings: [SUBSCRIBED],
  },
  {
    name: 'a checkout by a signed text, and its first charge',
    beginning: 'open checkout with room',
    steps: [confirm],
    endings: [SUBSCRIBED],
  },
  {
    name: 'the charge of a period',
    beginning: 'active subscription',
    steps: [aDayPasses],
    endings: [
      {
        status: 'active',
        charges: ['0 succeeded', '1 succeeded'],
        events: ['updated', 'charge.created', 'charge.succeeded'],
        money: moneyOf(1n),
      },
    ],
  },
  {
    name: 'a change to a cheaper tier, and the charge after it',
    beginning: 'active subscription',
    steps: [takeCheaperTier, aDayPasses],
    endings: [
      {
        status: 'active',
        charges: ['0 succeeded', '1 succeeded'],
        events: ['updated', 'updated', 'charge.created', 'charge.succeeded'],
        money: moneyOf(1n, UNIT / 2n, FEE / 2n),
      },
    ],
  },
  {
    name: 'a renewal by an approve, and the charge after it',
    beginning: 'active subscription',
    steps: [renew, aDayPasses],
    endings: [
      {
        status: 'active',
        charges: ['0 succeeded', '1 succeeded'],
        events: ['updated', 'updated', 'charge.created', 'charge.succeeded'],
        money: moneyOf(1n),
      },
    ],
  },
  {
    name: 'a cancel at the end of the period, and no charge after it',
    beginning: 'active subscription',
    steps: [cancel(true), aDayPasses],
    endings: [
      { status: 'canceled', charges: ['0 succeeded'], events: ['cancel_scheduled', 'canceled'], money: moneyOf(0n) },
    ],
  },
  {
    name: 'a cancel at once, before a charge is sent',
    beginning: 'active subscription',
    steps: [aDayPasses, untilPlanned(cancel(false))],
    endings: [NOT_CHARGED, ...CHARGED_AND_CANCELED],
  },
  {
    name: 'a cancel at once, while a charge is under way',
    beginning: 'active subscription',
    steps: [aDayPasses, untilSigned(cancel(false))],
    endings: CHARGED_AND_CANCELED,
  },
]
