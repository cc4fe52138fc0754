// Held money: the buyer proposes addresses, swaps them, and proposes again; the business approves late, twice or what it has read
// before, and declines.

import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Dice } from './dice.ts'
import { ask, type Order, type People } from './people.ts'
import { virtualNow } from './virtual-time.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** How often the buyer comes back. */
const VISITS = 5

type Claim = { readonly people: People; readonly dice: Dice; readonly made: Order; readonly secret: string }

/** The buyer looks for held money for some hours. */
export async function claimHeldMoney(people: People, dice: Dice, made: Order): Promise<void> {
  const { secret } = made
  if (secret === null || !dice.chance(0.7)) return
  const claim = { people, dice, made, secret }
  for (let visits = 0; visits < VISITS; visits += 1) {
    await people.ground.scheduler.at(virtualNow() + dice.between(MINUTE, HOUR), 'a buyer looks for held money')
    if (people.ground.faults.over) return
    const shown = await answerOf(claim, ({ intents }) => intents.checkoutStatus(secret))
    if (shown?.refundAddress?.isWanted === true) await propose(claim)
  }
}

async function answerOf(
  { people, dice }: Claim,
  call: Parameters<typeof ask<PaymentIntent>>[2],
): Promise<PaymentIntent | null> {
  const answer = await ask(people, dice, call)
  return answer instanceof ServiceError ? null : answer
}

async function propose(claim: Claim): Promise<void> {
  const { people, dice, made } = claim
  const { stage, ground, findings } = people
  // An address of an exchange is refused where the operator knows it. Another wallet than that of the buyer may be anyone's.
  const proposed = await send(claim, dice.pick([...stage.buyers, stage.vault, stage.exchange]).address)
  if (dice.chance(0.3)) await send(claim, dice.pick(stage.buyers).address)
  const read = await answerOf(claim, ({ intents }) => intents.findByIndex(made.payee.caller, made.index))
  const address = read?.refundAddress?.proposal?.address
  if (proposed === null || address === undefined || people.monitor.isForgotten(made.id)) return
  findings.check(
    'held money goes where the business approved',
    !stage.custodians.has(address),
    () => `intent ${made.index}: ${address} is a custodian's`,
  )
  await ground.scheduler.at(virtualNow() + dice.between(1_000, 2 * HOUR), 'a business thinks')
  if (dice.chance(0.2)) return await decline(claim, address)
  // The buyer swaps the address while the business decides.
  const swap = dice.chance(0.3) ? send(claim, dice.pick(stage.buyers).address) : null
  if (dice.chance(0.5)) await swap
  await Promise.all([approve(claim, address), ...(dice.chance(0.4) ? [approve(claim, address)] : []), swap])
}

const send = ({ people, dice, secret, made }: Claim, address: Address): Promise<PaymentIntent | null> => {
  people.ground.trace.note(`the buyer of intent ${made.index} proposes ${address}`)
  people.ground.faults.count('address proposed')
  return answerOf({ people, dice, secret, made }, ({ intents }) => intents.proposeRefundAddress(secret, address))
}

async function approve(claim: Claim, address: Address): Promise<void> {
  const { people, made } = claim
  const { approved, released, trace, faults } = people.ground
  trace.note(`the business approves ${address} for intent ${made.index}`)
  for (const known of [approved, released]) known.set(made.index, new Set([...(known.get(made.index) ?? []), address]))
  const by = { tenant: made.payee.caller, actor: SERVICE_ACTOR }
  const after = await answerOf(claim, ({ intents }) => intents.approveRefundAddress(by, made.id, address))
  if (after !== null) faults.count('address approved')
}

async function decline(claim: Claim, address: Address): Promise<void> {
  const { made, people } = claim
  const by = { tenant: made.payee.caller, actor: SERVICE_ACTOR }
  const after = await answerOf(claim, ({ intents }) =>
    intents.declineRefundAddress(by, made.id, address, 'It is not yours.'),
  )
  if (after !== null) people.ground.faults.count('address declined')
}
