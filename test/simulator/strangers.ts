// Acts of strangers on a public address with a few lamports: dust in every form, unlisted tokens, and transactions that
// only name the address.
import type { Instruction } from '@solana/kit'
import type { Address } from '#core/chain/types.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import { holdingOf } from './chain/raw.ts'
import {
  burnFrom,
  closeHolding,
  holdingPlace,
  mintTo,
  nameOnly,
  paySol,
  payToken,
  signedTransaction,
  type Wallet,
  type WorldMint,
} from './chain/wallets.ts'
import type { Dice } from './dice.ts'
import { isTightInTime, NETWORK_FEE, type Stage } from './stage.ts'
import { virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

export type Trouble = {
  /** Lets a stranger begin an act at this moment. */
  strike(): void
  /** An intent changed, which strangers see on the chain. */
  onChanged(intentId: string): void
}

/** The intents that strangers know. */
export type ChainSnapshot = {
  readonly addresses: ReadonlyMap<string, Address>
  readonly statusOf: (intentId: string) => IntentStatus
}

const BUSY: ReadonlySet<IntentStatus> = new Set(['paid', 'overpaid', 'settling', 'refunding'])
/** Whatever arrives goes back. */
const ENDED: ReadonlySet<IntentStatus> = new Set(['swept', 'refunded', 'cancelled'])
const MAX_DROPS = 15
/** More than one list of a payment shows. */
const DROPS_AFTER_THE_END = 30
/** In lamports: more than the rent minimum ever is, so that the address can keep dust as well. */
const KEPT = 2_000_000n
/** A payment of SOL that is more than the network fee, and less than its return costs. */
const ALMOST_WORTH_A_REFUND = NETWORK_FEE + 10_000n
/** In whole tokens. Each is worth a dollar, and the rent of an account 30 cents. */
const WORTH_A_REFUND = 2n
const MAX_NAMED = 220
/** Refunds of a token that cost more together than a tight budget of an hour or a day. A refund of SOL repays its cost. */
const REFUNDS = 10
/** Half of the largest supply of a mint. */
const MINTED = 2n ** 63n
/** Rounds of minting and taking back. From the third round on the sum exceeds 64 bits. */
const MAX_ROUNDS = 4

export function createTrouble(ground: Ground, stage: Stage, snapshot: ChainSnapshot): Trouble {
  const { chain, faults, scheduler, trace } = ground
  const { rich, others, spam } = stage.strangers
  const dice = ground.dice.stream('strangers')
  /** Once, in a seed with a tight budget. Other seeds stay as they are. */
  let wantsRefunds = isTightInTime(stage.refundBudget)
  const dripping = new Set<string>()
  const pause = (least: number, most: number): Promise<void> =>
    scheduler.at(virtualNow() + dice.between(least, most), 'a stranger waits')
  const send = (signers: readonly Wallet[], instructions: readonly Instruction[]): void => {
    chain.submit(signedTransaction(signers, instructions, chain.lifetimeAt(chain.tip)))
  }

  /** Wallets send dust, or tokens that are worth a refund, and close their accounts, so that it would have to create them again. */
  const payAndClose = async (target: Address): Promise<void> => {
    const mint = dice.pick([...stage.mints.values()].filter(({ transferFeeBps }) => transferFeeBps === null))
    const wallets = dice.shuffled(others).slice(0, dice.between(1, others.length))
    const amount = dice.chance(0.5) ? 1n : WORTH_A_REFUND * 10n ** BigInt(mint.decimals)
    trace.note(`${wallets.length} strangers send ${amount} to ${target} and close their accounts`)
    for (const wallet of wallets) send([rich], payToken(rich, wallet.address, mint, amount))
    await pause(4_000, 10_000)
    for (const wallet of wallets)
      send([wallet], [...payToken(wallet, target, mint, amount), ...closeHolding(wallet, rich.address, mint, 0n)])
  }

  /** Sends dust in a rhythm while the payment is under way. */
  const drip = async (
    kind: 'dust in a rhythm' | 'dust twice a second',
    intentId: string,
    mint: WorldMint | null,
    statuses: ReadonlySet<IntentStatus>,
  ): Promise<void> => {
    const target = snapshot.addresses.get(intentId)
    if (target === undefined || dripping.has(intentId)) return
    dripping.add(intentId)
    trace.note(`${kind} for ${target}`)
    for (let drops = 0; drops < MAX_DROPS && !faults.over && statuses.has(snapshot.statusOf(intentId)); drops += 1) {
      send([rich], mint === null ? [paySol(rich, target, BigInt(1 + drops))] : payToken(rich, target, mint, 1n))
      faults.count(kind)
      await (kind === 'dust in a rhythm' ? pause(1_000, 10_000) : pause(500, 500))
    }
    dripping.delete(intentId)
  }

  /**
   * Two strangers pay in one transaction, one of them the address, so that the payer of neither is known, and the money
   * stays: an empty address takes no dust.
   */
  const payWithoutOwner = (target: Address, own: Dice): void => {
    const [one, other] = own.shuffled(others)
    if (one === undefined || other === undefined) return
    send([rich, one], [paySol(rich, target, KEPT), paySol(one, other.address, KEPT)])
  }

  /**
   * Pays an ended payment for long: SOL next to money that stays, the first time almost enough to be returned and then a lamport
   * each, or a token, each time more. Each payment is final before the next. Draws from a stream of its own.
   */
  const pester = async (target: Address): Promise<void> => {
    const own = dice.stream('after the end')
    const mint = own.chance(0.5) ? null : own.pick([...stage.mints.values()])
    trace.note(`dust after the end for ${target}`)
    const pause = () => scheduler.at(virtualNow() + own.between(20_000, 90_000), 'a stranger waits after the end')
    if (mint === null) {
      payWithoutOwner(target, own)
      await pause()
    }
    for (let drops = 0; drops < DROPS_AFTER_THE_END && !faults.over; drops += 1) {
      const lamports = drops === 0 ? ALMOST_WORTH_A_REFUND : 1n
      send([rich], mint === null ? [paySol(rich, target, lamports)] : payToken(rich, target, mint, BigInt(1 + drops)))
      faults.count('dust after the end')
      await pause()
    }
  }

  const spamAndTakeBack = async (target: Address): Promise<void> => {
    const rounds = dice.between(1, MAX_ROUNDS)
    for (let round = 0; round < rounds && !faults.over; round += 1) {
      send([rich], mintTo(rich, target, spam, MINTED - BigInt(dice.between(0, 1_000))))
      if (round > 0) faults.count('spam minted')
      await pause(5_000, 40_000)
      const held = holdingOf(chain.accountAt(holdingPlace(target, spam), chain.tip))?.amount ?? 0n
      if (held === 0n || dice.chance(0.2)) return
      faults.count('spam taken back')
      send([rich], [burnFrom(rich, target, spam, held)])
      await pause(5_000, 40_000)
    }
  }

  /** Pays an ended payment again and again, and gets each payment back. Draws from a stream of its own. */
  const askForRefunds = async (target: Address): Promise<void> => {
    const own = dice.stream('refunds')
    const [mint] = stage.mints.values()
    if (mint === undefined) return
    trace.note(`${REFUNDS} payments to ${target} for their refunds`)
    for (let paid = 0; paid < REFUNDS && !faults.over; paid += 1) {
      send([rich], payToken(rich, target, mint, WORTH_A_REFUND * 10n ** BigInt(mint.decimals) + BigInt(paid)))
      faults.count('paid for the refund')
      await scheduler.at(virtualNow() + own.between(180_000, 300_000), 'a stranger waits for a refund')
    }
  }

  const nameOften = (target: Address): void => {
    const times = dice.between(20, MAX_NAMED)
    trace.note(`${times} transactions only name ${target}`)
    for (let time = 1; time < times; time += 1) {
      send([rich], [nameOnly(rich, target, BigInt(time))])
      faults.count('address only named')
    }
  }

  return {
    strike() {
      const targets = [...snapshot.addresses.values()].slice(-3)
      if (targets.length === 0) return
      const target = dice.pick(targets)
      if (faults.strikes('token dust, account closed')) void payAndClose(target)
      if (faults.strikes('spam minted')) void spamAndTakeBack(target)
      if (faults.strikes('address only named')) nameOften(target)
    },
    onChanged(intentId) {
      const status = snapshot.statusOf(intentId)
      const ended = ENDED.has(status) ? snapshot.addresses.get(intentId) : undefined
      if (wantsRefunds && ended !== undefined) {
        wantsRefunds = false
        void askForRefunds(ended)
      }
      if (ended !== undefined && !dripping.has(intentId) && faults.strikes('dust after the end')) {
        dripping.add(intentId)
        void pester(ended)
      }
      if (!BUSY.has(status)) return
      const mint = dice.chance(0.5) ? null : dice.pick([...stage.mints.values()])
      if (faults.strikes('dust in a rhythm')) void drip('dust in a rhythm', intentId, mint, BUSY)
      else if (status === 'settling' && faults.strikes('dust twice a second'))
        void drip('dust twice a second', intentId, mint, new Set(['settling']))
    },
  }
}
