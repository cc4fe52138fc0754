// What every person of a season shares: the world, the dice, and how to wait, count, sign and send.
import { sign } from 'node:crypto'
import type { Challenge } from '#services/billing/wallet-proof.ts'
import type { Wallet } from '../chain/wallets.ts'
import type { Dice } from '../dice.ts'
import type { Fault } from '../faults.ts'
import type { SubscriptionMonitor } from '../monitor/billing/subscriptions.ts'
import type { People } from '../people.ts'
import type { Accounts } from './accounts.ts'
import type { BillingStage } from './billing-stage.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** How often a subscriber tries. */
export const TRIES = 8

export type Scene = {
  readonly people: People
  readonly stage: BillingStage
  readonly monitor: SubscriptionMonitor
  readonly accounts: Accounts
  readonly dice: Dice
  /** Waits between two numbers of milliseconds: no longer than the season, but for the least. */
  readonly wait: (least: number, most: number) => Promise<void>
  /** Texts that have completed a checkout. */
  readonly used: Given[]
}

export type Given = { readonly wallet: Wallet['address']; readonly nonce: string; readonly signature: string }

export const count = ({ people }: Scene, act: Fault): void => {
  people.ground.faults.count(act)
  people.ground.trace.note(act)
}

export function wanted<T>(part: T | null): T {
  if (part === null) throw new Error('this seed has no subscriptions')
  return part
}

/** How long a subscriber waits after a refusal. */
export const PAUSES: Readonly<Record<string, number>> = {
  authorization_pending: 90 * SECOND,
  rate_limited: 9 * HOUR,
  subscription_service_unavailable: DAY,
  no_token_account: DAY,
  account_frozen: DAY,
  database_unavailable: MINUTE,
}

/** Signs a text, and notes what it states. Returns the signature. */
export function signText(
  { monitor }: Scene,
  wallet: Wallet,
  subscriptionId: string,
  { message }: Pick<Challenge, 'message'>,
) {
  const signature = sign(null, new TextEncoder().encode(message), wallet.key).toString('base64')
  const [, dollars = '0', cents = '0'] = /(\d+)\.(\d\d) USD in total/.exec(message) ?? []
  const [, days = '0'] = /after a free trial of (\d+) days?,/.exec(message) ?? []
  const total = BigInt(dollars) * 100n + BigInt(cents)
  monitor.texts.set(signature, { subscriptionId, total, trialDays: Number(days) })
  return signature
}

/** A wallet that sends by itself sends a transaction some times. */
export async function sendByWallet(scene: Scene, transaction: Uint8Array): Promise<void> {
  const { people, wait } = scene
  count(scene, 'approve sent by the wallet')
  for (let sent = 0; sent < 4; sent += 1) {
    people.ground.catchUp()
    people.ground.chain.submit(transaction)
    await wait(10 * SECOND, 20 * SECOND)
  }
  await wait(MINUTE, 3 * MINUTE)
}
