// Actions of buyers and businesses: each payment is the story of a person who pays.

import type { Instruction } from '@solana/kit'
import { keyActor } from '#core/accounts/audit.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import type { CreateIntentInput } from '#services/payments/create.ts'
import { createWallet, openHolding, paySol, payToken, signedTransaction, type Wallet } from './chain/wallets.ts'
import type { Dice } from './dice.ts'
import { type Instance, MAX_MARKETPLACE_FEE_BPS } from './instance.ts'
import { NETWORK } from './instance-ports.ts'
import { type Findings, noteError } from './monitor/findings.ts'
import type { Monitor } from './monitor/monitor.ts'
import type { Payee } from './payees.ts'
import type { Stage } from './stage.ts'
import { virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

export type People = {
  readonly ground: Ground
  readonly stage: Stage
  /** Returns an instance that answers; waits while there is none. */
  readonly service: () => Promise<Instance>
  /** Receives the answers and requests of people. */
  readonly monitor: Pick<
    Monitor,
    | 'changes'
    | 'secrets'
    | 'onDemand'
    | 'cancels'
    | 'namedRecipients'
    | 'onSwept'
    | 'payments'
    | 'orders'
    | 'reportedEvents'
    | 'isForgotten'
  >
  readonly findings: Findings
}

const TRIES = 12

/** Calls the service until it answers, like a client; a refusal is an answer. Returns null when it never answers. */
export async function ask<T>(
  people: People,
  dice: Dice,
  call: (instance: Instance) => Promise<T>,
): Promise<T | ServiceError | null> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const instance = await people.service()
    try {
      return await Promise.race([call(instance), instance.carrier.death])
    } catch (error) {
      if (error instanceof ServiceError && !AWAY.has(error.code)) return error
      noteError(people.ground, people.findings, error, 'a request')
    }
    await people.ground.scheduler.at(virtualNow() + dice.between(500, 8_000), 'a client tries again')
  }
  return null
}

const AWAY: ReadonlySet<string> = new Set([
  'chain_unavailable',
  'database_unavailable',
  'price_feed_unreachable',
  'price_feeds_disagree',
])

export type Payment = { readonly from: Wallet; readonly amount: bigint }

/**
 * Pays in one transaction, and sends it again until it is final or can never land. The amounts are the amounts that
 * arrive.
 */
export async function pay(people: People, to: Address, asset: Asset, payments: readonly Payment[]): Promise<boolean> {
  const { ground, stage } = people
  const { chain, scheduler } = ground
  const mint = stage.mints.get(asset)
  const relayer = ground.faults.strikes('paid through a relayer') ? stage.relayer : null
  const instructions = payments.flatMap(({ from, amount }): readonly Instruction[] =>
    asset === SOL || mint === undefined
      ? [paySol(from, to, amount)]
      : payToken(from, to, mint, amount, relayer ?? from),
  )
  ground.catchUp()
  const lifetime = chain.lifetimeAt(chain.tip)
  const wire = signedTransaction(
    [...(relayer === null ? [] : [relayer]), ...payments.map(({ from }) => from)],
    [...(relayer === null ? [] : [relayed(people, relayer)]), ...instructions],
    lifetime,
  )
  const signature = chain.submit(wire)
  people.monitor.payments.set(
    signature,
    payments.map(({ from, amount }) => ({ wallet: from.address, asset, amount })),
  )
  ground.stir()
  for (let looked = 0; looked < 60; looked += 1) {
    await scheduler.at(virtualNow() + 3_000, 'a wallet looks')
    ground.catchUp()
    const landed = chain.landed(signature)
    if (landed !== null && landed.slot <= chain.finalized) return landed.error === null
    if (landed === null) chain.submit(wire)
  }
  return false
}

/** The other payments of a relayer in the same transaction: it pays for a token account from its own SOL. */
function relayed({ ground, stage }: People, relayer: Wallet): Instruction {
  const somebody = createWallet(ground.dice.stream(`relayed at ${virtualNow()}`))
  return openHolding(relayer, somebody.address, ground.dice.pick([...stage.mints.values()]))
}

export type Order = {
  readonly id: string
  readonly payee: Payee
  readonly index: number
  readonly address: Address
  /** Null where the answer to the create was lost: then no client has it. */
  readonly secret: string | null
}

/** Returns the request for a payment of 5 dollars at the usual rate. */
export function orderFor(
  { accountId, terms }: Payee,
  accepted: readonly Asset[],
  reference: string,
): CreateIntentInput {
  const isSeller = terms !== null
  return {
    amountUsdCents: makeUsdCents(500n),
    acceptedAssets: accepted,
    reference,
    customer: isSeller ? { email: 'buyer@example.com' } : null,
    applicationFeeBps: null,
    description: reference,
    lineItems: [],
    metadata: null,
    successUrl: null,
    cancelUrl: null,
    onBehalfOf: isSeller ? accountId : null,
    createdBy: keyActor(NETWORK, 'x7Qa', '203.0.113.9'),
  }
}

export async function order(
  people: People,
  dice: Dice,
  payee: Payee,
  accepted: readonly Asset[],
  reference: string,
): Promise<Order | null> {
  const cents = makeUsdCents(BigInt(dice.pick([50, 500, 2_000, 12_345])))
  const applicationFeeBps = payee.terms !== null && dice.chance(0.3) ? dice.between(0, MAX_MARKETPLACE_FEE_BPS) : null
  const input = { ...orderFor(payee, accepted, reference), amountUsdCents: cents, applicationFeeBps }
  const made = await ask(people, dice, ({ intents }) => intents.create(payee.caller, input))
  if (made === null || made instanceof ServiceError) return null
  const { id, derivationIndex: index, address } = made.intent
  if (made.clientSecret !== null) people.monitor.secrets.add(made.clientSecret)
  people.monitor.orders.set(index, {
    intentId: id,
    payee,
    feeBps: applicationFeeBps ?? payee.terms?.feeBps ?? null,
    toleranceBps: payee.toleranceBps === 0 ? null : payee.toleranceBps,
    priceUsdCents: cents,
    reference,
    email: input.customer?.email ?? null,
  })
  return { id, payee, index, address, secret: made.clientSecret }
}
