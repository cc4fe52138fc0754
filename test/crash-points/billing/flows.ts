// The flows of recurring billing: a checkout with its first charge, the charge of a period, changes of terms, a pause, a cancel, the
// end of the allowance, and charges that fail.
import { ServiceError } from '#core/errors.ts'
import type { TermOutcome } from '#services/billing/portal/portal-services.ts'
import { signatureBy, signedBy } from '../../support/approves.ts'
import { Crash } from '../../support/mortal.ts'
import { type Course, type People, runCourse, type Stage } from '../run-course.ts'
import { type BillingInstance, startBillingInstance } from './instance.ts'
import {
  type Beginning,
  type BillingEnding,
  type BillingWorld,
  billingEndingOf,
  brokenBillingPromises,
  createBillingWorld,
  FEE,
  isBillingAtRest,
  SLOTS_OF_A_DAY,
  UNIT,
} from './world.ts'

// The flows of recurring billing, as courses.

/** A step is done when it returns true. Until then it runs again, on the instance that is alive. */
type BillingStep = (world: BillingWorld, instance: BillingInstance) => Promise<boolean>

type BillingFlow = {
  readonly name: string
  readonly beginning: Beginning
  readonly steps: readonly BillingStep[]
  /** The allowed endings: several only where a person races with a worker. */
  readonly endings: readonly BillingEnding[]
}

export const billingCourseOf = (flow: BillingFlow): Course => ({
  name: flow.name,
  run: async (crashes, pace) => runCourse(flow.name, await stageOf(flow), crashes, pace),
})

async function stageOf({ beginning, steps, endings }: BillingFlow): Promise<Stage<BillingInstance, BillingEnding>> {
  const world = await createBillingWorld(beginning)
  return {
    start: (life) => startBillingInstance(world, life),
    people: startPerson(world, steps),
    isAtRest: () => isBillingAtRest(world),
    pass: (slots) => world.pass(slots),
    endingOf: () => billingEndingOf(world),
    endings,
    brokenRules: () => brokenBillingPromises(world),
  }
}

/** The person who takes the steps, one after the other. */
function startPerson(world: BillingWorld, steps: readonly BillingStep[]): People<BillingInstance> {
  const left = [...steps]
  const problems: string[] = []
  return {
    async act(instance) {
      const [step] = left
      if (step === undefined) return
      try {
        if (await step(world, instance)) left.shift()
      } catch (error) {
        if (!(error instanceof Crash)) problems.push(String(error))
      }
    },
    isDone: () => left.length === 0,
    takeProblems: () => problems.splice(0),
  }
}

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

type Offer = Awaited<ReturnType<BillingInstance['portal']['revokeInPortal']>>

/** The subscriber signs a transaction of the portal, and sends it until the portal refuses another with `done`. */
const signInPortal =
  (offer: (world: BillingWorld, portal: BillingInstance['portal']) => Promise<Offer>, done: string): BillingStep =>
  async (world, { portal }) => {
    const { token, owner } = world
    try {
      const { approvalId, transaction: wire } = await offer(world, portal)
      const transaction = signedBy(owner, { wire, message: wire.subarray(129) })
      return (await portal.activateInPortal(token, { approvalId, transaction })) !== null
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (error.code === done) return true
      // The crash took longer than a blockhash lives: the page asks for another transaction.
      if (error.code === 'blockhash_expired') return false
      throw error
    }
  }

function approveOf(offered: TermOutcome): Offer {
  if (offered.outcome !== 'approval_required') throw new Error('the allowance has no room')
  return offered.approve
}

/** The subscriber authorizes all periods again. */
const renew = signInPortal(
  async ({ token }, portal) => approveOf(await portal.renewInPortal(token, {})),
  'nothing_to_renew',
)

const takeDearerTier = signInPortal(
  async ({ token, dearer }, portal) => approveOf(await portal.changeTierInPortal(token, dearer.id, {})),
  'same_tier',
)

const endAllowance = signInPortal(({ token }, portal) => portal.revokeInPortal(token), 'nothing_to_revoke')

const aDayPasses: BillingStep = async ({ pass }) => {
  pass(SLOTS_OF_A_DAY)
  return true
}

/** Waits until the charge of the period is planned. */
const untilPlanned =
  (then: BillingStep): BillingStep =>
  async (world, instance) =>
    (await world.db.prisma.charge.count({ where: { periodIndex: 1 } })) > 0 && (await then(world, instance))

/** Waits until a transaction of the charge is signed: it may still land whatever follows. */
const untilSigned =
  (then: BillingStep): BillingStep =>
  async (world, instance) => {
    const where = { state: { not: 'prepared' as const }, transfer: { kind: 'charge' } }
    return (await world.db.prisma.transferAttempt.count({ where })) > 0 && (await then(world, instance))
  }

/** Takes the allowance back as soon as there is one, before the first charge. */
const approveAndRevoke: BillingStep = async (world, instance) => {
  if (!(await approve(world, instance))) return false
  world.revokeAllowance()
  return true
}

/** Waits until the subscription has the status. */
const untilStatus =
  (status: string): BillingStep =>
  async ({ db }) =>
    (await db.prisma.billingSubscription.count({ where: { status } })) > 0

/** Waits until a charge has failed once, whatever became of it. */
const untilFailed =
  (then: BillingStep): BillingStep =>
  async (world, instance) =>
    (await world.db.prisma.event.count({ where: { type: { endsWith: 'charge.failed' } } })) > 0 &&
    (await then(world, instance))

/** The job that notices a refill runs. */
const refillNoticed: BillingStep = async (_world, instance) => {
  await instance.retryRefilled('live')
  return true
}

/** It runs until the subscription is active again. */
const untilRefilled: BillingStep = async (world, instance) =>
  (await refillNoticed(world, instance)) && (await untilStatus('active')(world, instance))

const does =
  (act: (world: BillingWorld) => void): BillingStep =>
  async (world) => {
    act(world)
    return true
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

const pause = ask(
  async (world, { subscriptions, merchant }) =>
    await subscriptions.pauseSubscription(merchant, await world.subscriptionId()),
  'subscription_ended',
)

const resume = ask(
  async (world, { subscriptions, merchant }) =>
    await subscriptions.resumeSubscription(merchant, await world.subscriptionId()),
  'subscription_not_paused',
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

/** An active subscription whose second period is charged too. */
const chargedAgain = (
  events: BillingEnding['events'],
  money: BillingEnding['money'],
  allowance: bigint,
): BillingEnding => ({ status: 'active', charges: ['0 succeeded', '1 succeeded'], events, money, allowance })

const SUBSCRIBED: BillingEnding = {
  status: 'active',
  charges: ['0 succeeded'],
  events: ['created', 'charge.created', 'charge.succeeded', 'activated'],
  money: moneyOf(1n),
  allowance: 11n * UNIT,
}

/** Three charges of a half are authorized, and nine whole ones. */
const DISCOUNTED: BillingEnding = {
  ...SUBSCRIBED,
  money: moneyOf(1n, UNIT / 2n, FEE / 2n),
  allowance: 10n * UNIT,
}

const NOT_CHARGED: BillingEnding = {
  status: 'canceled',
  charges: ['0 succeeded', '1 canceled'],
  events: ['updated', 'charge.created', 'canceled'],
  money: moneyOf(0n),
  allowance: 11n * UNIT,
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
  allowance: 10n * UNIT,
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
    name: 'a checkout by an approve with a coupon of one use, and its first charge',
    beginning: 'open checkout with a coupon',
    steps: [approve],
    endings: [DISCOUNTED],
  },
  {
    name: 'a checkout by a signed text with a coupon of one use, and its first charge',
    beginning: 'open checkout with room and a coupon',
    steps: [confirm],
    // The wallet has allowed twelve whole charges before.
    endings: [{ ...DISCOUNTED, allowance: (23n * UNIT) / 2n }],
  },
  {
    name: 'a checkout by an approve with a trial, and the first charge after it',
    beginning: 'open checkout with a trial',
    steps: [approve, untilStatus('trialing'), aDayPasses],
    endings: [
      {
        ...SUBSCRIBED,
        charges: ['1 succeeded'],
        events: ['created', 'trial_ending', 'updated', 'charge.created', 'charge.succeeded', 'activated'],
      },
    ],
  },
  {
    name: 'a checkout by a signed text with a trial, and a cancel before it ends',
    beginning: 'open checkout with room and a trial',
    steps: [confirm, cancel(true), aDayPasses],
    // The worker announces the end of the trial before the cancel, or not at all.
    endings: [
      ['created', 'trial_ending', 'cancel_scheduled', 'canceled'],
      ['created', 'cancel_scheduled', 'canceled'],
    ].map((events) => ({ status: 'canceled', charges: [], events, money: moneyOf(0n), allowance: 12n * UNIT })),
  },
  {
    name: 'the charge of a period',
    beginning: 'active subscription',
    steps: [aDayPasses],
    endings: [chargedAgain(['updated', 'charge.created', 'charge.succeeded'], moneyOf(1n), 10n * UNIT)],
  },
  ...(
    [
      ['doubles', 6_960n],
      ['halves', 1_740n],
    ] as const
  ).map(
    ([changes, lamportsPerByteYear]): BillingFlow => ({
      name: `the charge of a period that makes the payout account, before whose landing the rent ${changes}`,
      beginning: 'active subscription without a payout account',
      steps: [
        does(({ changeRentBeforeLanding }) => changeRentBeforeLanding(lamportsPerByteYear)),
        aDayPasses,
        // Two years of an account of 165 bytes, and of the 128 that every account counts.
        async ({ payoutRent }) => payoutRent() === lamportsPerByteYear * 2n * 293n,
      ],
      endings: [chargedAgain(['updated', 'charge.created', 'charge.succeeded'], moneyOf(1n), 10n * UNIT)],
    }),
  ),
  {
    name: 'a change to a cheaper tier, and the charge after it',
    beginning: 'active subscription',
    steps: [takeCheaperTier, aDayPasses],
    endings: [
      chargedAgain(
        ['updated', 'updated', 'charge.created', 'charge.succeeded'],
        moneyOf(1n, UNIT / 2n, FEE / 2n),
        11n * UNIT - UNIT / 2n,
      ),
    ],
  },
  {
    name: 'a change to a dearer tier by an approve, and the charge after it',
    beginning: 'active subscription',
    steps: [takeDearerTier, aDayPasses],
    endings: [
      chargedAgain(
        ['updated', 'updated', 'charge.created', 'charge.succeeded'],
        moneyOf(1n, 2n * UNIT, 2n * FEE),
        20n * UNIT,
      ),
    ],
  },
  {
    name: 'a renewal by an approve, and the charge after it',
    beginning: 'active subscription',
    steps: [renew, aDayPasses],
    endings: [chargedAgain(['updated', 'updated', 'charge.created', 'charge.succeeded'], moneyOf(1n), 11n * UNIT)],
  },
  {
    name: 'a cancel at the end of the period, and no charge after it',
    beginning: 'active subscription',
    steps: [cancel(true), aDayPasses],
    endings: [
      {
        status: 'canceled',
        charges: ['0 succeeded'],
        events: ['cancel_scheduled', 'canceled'],
        money: moneyOf(0n),
        allowance: 11n * UNIT,
      },
    ],
  },
  {
    name: 'a cancel at once, and the end of the allowance',
    beginning: 'active subscription',
    steps: [cancel(false), endAllowance],
    endings: [
      { status: 'canceled', charges: ['0 succeeded'], events: ['canceled'], money: moneyOf(0n), allowance: 0n },
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
    // After a crash its blockhash may be too old: it cannot land, and no other is sent for a canceled subscription.
    endings: [...CHARGED_AND_CANCELED, NOT_CHARGED],
  },
  {
    name: 'an allowance that the wallet takes back, and its notice',
    beginning: 'active subscription',
    steps: [does(({ revokeAllowance }) => revokeAllowance()), untilStatus('revoked'), aDayPasses],
    endings: [{ status: 'revoked', charges: ['0 succeeded'], events: ['revoked'], money: moneyOf(0n), allowance: 0n }],
  },
  {
    name: 'a charge that fails for lack of funds, and its refill',
    beginning: 'active subscription',
    steps: [
      does(({ lendTokens }) => lendTokens()),
      aDayPasses,
      untilFailed(does(({ returnTokens }) => returnTokens())),
      untilRefilled,
    ],
    endings: [
      chargedAgain(
        ['updated', 'charge.created', 'charge.failed', 'past_due', 'charge.succeeded', 'updated'],
        moneyOf(1n),
        10n * UNIT,
      ),
    ],
  },
  {
    name: 'a cancel at the end of the period after its charge failed, and a refill that pays nothing',
    beginning: 'active subscription',
    steps: [
      does(({ lendTokens }) => lendTokens()),
      aDayPasses,
      untilFailed(cancel(true)),
      does(({ returnTokens }) => returnTokens()),
      refillNoticed,
      aDayPasses,
    ],
    endings: [
      {
        ...NOT_CHARGED,
        events: ['updated', 'charge.created', 'charge.failed', 'past_due', 'cancel_scheduled', 'canceled'],
      },
    ],
  },
  {
    name: 'a pause over the end of a period, and the charge after it is resumed',
    beginning: 'active subscription',
    steps: [pause, aDayPasses, resume],
    endings: [chargedAgain(['paused', 'resumed', 'charge.created', 'charge.succeeded'], moneyOf(1n), 10n * UNIT)],
  },
  {
    name: 'a first charge whose allowance is taken back, and its second approve',
    beginning: 'open checkout',
    steps: [approveAndRevoke, untilFailed(approve), untilStatus('active')],
    endings: [
      { ...SUBSCRIBED, events: ['created', 'charge.created', 'charge.failed', 'charge.succeeded', 'activated'] },
    ],
  },
]
