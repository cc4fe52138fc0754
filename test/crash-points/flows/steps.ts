// Building blocks of flows: the steps of people, and common endings.
import type { Address, Asset } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { choice, later } from '../../support/payment.ts'
import { TOKEN_RENT } from '../../support/toy-chain.ts'
import { ask, type Step } from '../flow.ts'
import type { World } from '../world.ts'

export const PRICE = 10_000_000n
export const HALF = PRICE / 2n
export const EXCESS = 2_000_000n
/** The cost of a buyer's own transaction, without and with a new token account. */
export const SENT = 5_000n
export const SENT_TOKEN = SENT + TOKEN_RENT
/** Returns the part of an amount that arrives in the token with transfer fees. */
export const arrives = (amount: bigint): bigint => amount - (amount + 99n) / 100n

export const pay =
  (asset: Asset, amount: bigint, from?: Address): Step =>
  (world) => {
    world.pay(asset, amount, from)
    return true
  }
export const until =
  (isSo: (facts: IntentFacts, world: World) => boolean): Step =>
  async (world) =>
    isSo(await world.facts(), world)
export const untilStatus = (status: string): Step => until(({ intent }) => intent.status === status)
export const change =
  (alter: (world: World) => void): Step =>
  (world) => {
    alter(world)
    return true
  }
export const cancel = ask(({ cancel }) => cancel())
export const clearHalt = ask(({ clearHalt }) => clearHalt())
export const sweep = ask(({ sweep }) => sweep())
export const retry = ask(({ retry }) => retry())
export const propose = ask(({ propose }) => propose())
export const approve = ask(({ approve }) => approve())
export const release = (asset: Asset): Step => ask(({ release }) => release(asset))
export const fates = (...fates: World['toy']['fates']): Step => change(({ toy }) => toy.fates.push(...fates))

export const chose = (asset: Asset, expected = PRICE) => ({ selection: choice(asset, expected) })
export const SWEPT = ['paid', 'settling', 'swept']
export const LATE = ['cancelled', 'refunding', 'refunded']
export const WRONG_ASSET = ['token_refund_updated', 'token_refund_updated']
export const RELEASED = ['underpaid', 'refunding', 'refund_failed', 'refunding', 'refunded']
export const REFUNDED = ['underpaid', 'refunding', 'refunded']
/** The window ends five minutes after the flow begins. */
export const soon = { expiresAt: later(300) }
