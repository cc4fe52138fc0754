// A business that gives money back on purpose, and wallets that do every strange thing with what is to be paid.
import { AccountRole, type Instruction } from '@solana/kit'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { type Address, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { Refund } from '#core/refunds/refund.ts'
import { paySol, payToken, signedTransaction, type Wallet } from './chain/wallets.ts'
import type { Dice } from './dice.ts'
import { ask, type Order, type People } from './people.ts'
import { virtualNow } from './virtual-time.ts'

const ACTS = [
  'exact',
  'in two parts',
  'too little',
  'too much',
  'twice',
  'in another asset',
  'more than the wallet has',
  'without the key',
  'two in one transaction',
  'canceled',
  'nothing',
] as const

const HOUR = 3_600_000
const ONCE_SETTLED_MS = 20 * 60_000
const LOOKS = 6

/** Gives back some of a payment that settles: one to four refunds are asked for, which together may be too much. */
export async function giveBack(people: People, dice: Dice, made: Order): Promise<void> {
  if (!dice.chance(0.5) || !(await isSettled(people, dice, made))) return
  const { ground, monitor } = people
  const of = { paymentId: made.id, chargeId: null }
  const count = dice.between(1, 4)
  const created: Refund[] = []
  for (let at = 0; at < count; at += 1) {
    const to = dice.chance(0.3) ? dice.pick(people.stage.buyers).address : null
    if (to !== null)
      monitor.namedRecipients.set(made.id, new Set([...(monitor.namedRecipients.get(made.id) ?? []), to]))
    const input = {
      amount: dice.chance(0.5) ? makeBaseUnits(dice.pick([1n, 1_000n, 2_000_000n, 20_000_000n, 10n ** 12n])) : null,
      amountUsdCents: null,
      to,
      reason: null,
      reference: dice.chance(0.5) ? `refund-${made.index}-${at}` : null,
      reverseFee: made.payee.terms !== null && dice.chance(0.6),
    }
    const answer = await ask(people, dice, ({ refunds }) =>
      refunds.create({ tenant: made.payee.caller, actor: SERVICE_ACTOR }, of, input),
    )
    if (answer === null || answer instanceof ServiceError) continue
    ground.trace.note(`refund ${answer.refund.id.slice(-6)} of intent ${made.index}: ${answer.refund.amount}`)
    created.push(answer.refund)
  }
  for (const [at, refund] of created.entries()) {
    await ground.scheduler.at(virtualNow() + dice.between(1_000, HOUR), 'a business refunds')
    await act(people, dice, made, refund, created[at + 1] ?? null)
  }
}

async function isSettled(people: People, dice: Dice, { payee, index }: Order): Promise<boolean> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await people.ground.scheduler.at(virtualNow() + dice.between(1_000, ONCE_SETTLED_MS), 'a business looks')
    const found = await ask(people, dice, ({ intents }) => intents.findByIndex(payee.caller, index))
    if (found !== null && !(found instanceof ServiceError) && found.settlement !== null) return true
  }
  return false
}

async function act(people: People, dice: Dice, { payee }: Order, refund: Refund, other: Refund | null): Promise<void> {
  const { stage, ground } = people
  const what = dice.pick(ACTS)
  ground.trace.note(`refund ${refund.id.slice(-6)}: the wallet pays “${what}”`)
  const { amount, recipient, referenceKey: key } = refund
  const from = dice.pick(stage.buyers.filter(({ address }) => address !== recipient))
  const stranger = dice.pick(stage.strangers.others).address
  const send = (parts: readonly Part[], names: readonly Address[] = [key]) =>
    sendRefund(people, from, refund, parts, names)
  const half = amount / 2n || 1n
  if (dice.chance(0.3)) await send([{ to: stranger, amount }])
  if (what === 'exact') await send([{ to: recipient, amount }])
  if (what === 'too little') await send([{ to: recipient, amount: half }])
  if (what === 'in two parts') for (const part of [half, amount - half]) await send([{ to: recipient, amount: part }])
  if (what === 'too much') await send([{ to: recipient, amount: amount + 7n }])
  if (what === 'twice') for (const one of [amount, amount]) await send([{ to: recipient, amount: one }])
  if (what === 'more than the wallet has') await send([{ to: recipient, amount: 10n ** 17n }])
  if (what === 'without the key') await send([{ to: recipient, amount }], [])
  if (what === 'in another asset') {
    const [mint] = [...stage.mints.values()].filter((one) => one.mint !== refund.asset)
    if (mint !== undefined) await submit(people, from, naming([key], payToken(from, recipient, mint, 5n)))
  }
  if (what === 'two in one transaction' && other !== null)
    await send([{ to: recipient, amount: amount + other.amount / 2n }], [key, other.referenceKey])
  if (what === 'canceled')
    await ask(people, dice, ({ refunds }) => refunds.cancel({ tenant: payee.caller, actor: SERVICE_ACTOR }, refund.id))
}

type Part = { readonly to: Address; readonly amount: bigint }

async function sendRefund(
  people: People,
  from: Wallet,
  { asset }: Refund,
  parts: readonly Part[],
  names: readonly Address[],
) {
  const mint = people.stage.mints.get(asset)
  const instructions = parts.flatMap(({ to, amount }) =>
    asset === SOL || mint === undefined ? [paySol(from, to, amount)] : payToken(from, to, mint, amount),
  )
  await submit(people, from, naming(names, instructions))
}

/** Names keys in the last instruction, the transfer. */
function naming(names: readonly Address[], instructions: readonly Instruction[]): readonly Instruction[] {
  const accounts = names.map((address) => ({ address, role: AccountRole.READONLY }))
  return instructions.map((one, at) =>
    at === instructions.length - 1 ? { ...one, accounts: [...(one.accounts ?? []), ...accounts] } : one,
  )
}

async function submit({ ground }: People, from: Wallet, instructions: readonly Instruction[]): Promise<void> {
  const { chain, scheduler } = ground
  ground.catchUp()
  const wire = signedTransaction([from], instructions, chain.lifetimeAt(chain.tip))
  const signature = chain.submit(wire)
  ground.stir()
  for (let looked = 0; looked < 40; looked += 1) {
    await scheduler.at(virtualNow() + 3_000, 'a wallet looks')
    ground.catchUp()
    const landed = chain.landed(signature)
    if (landed !== null && landed.slot <= chain.finalized) return
    if (landed === null) chain.submit(wire)
  }
}
