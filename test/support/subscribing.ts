// A subscriber of a running service: a wallet that completes a checkout, as the hosted page lets it.
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { expect } from 'vitest'
import { signTransactionOf } from '#sandbox/chain/payment.ts'
import type { Json, Story } from './running-service.ts'

type Terms = {
  readonly key: string
  readonly tierId: string
  /** The code of a coupon. */
  readonly coupon?: string | undefined
  /** Gives the wallet its tokens. It needs no SOL. */
  fund(wallet: string): Promise<unknown>
}

export type Subscribed = {
  readonly wallet: KeyPairSigner
  /** The id of the subscription, whose first charge is planned. */
  readonly id: string
  /** What the wallet has allowed, in base units. */
  readonly allowed: bigint
}

/**
 * Completes a checkout of a tier with a new wallet. The chain of a story passes 150 blocks in 3 seconds: a busy machine may sign too
 * late, and then prepares again as a buyer does.
 */
export async function subscribe(story: Story, { key, tierId, coupon, fund }: Terms): Promise<Subscribed> {
  const post = async (path: string, body: object, by?: string): Promise<Json> => {
    const answer = await story.rest('POST', path, { body, ...(by !== undefined && { key: by }) })
    const isLate = answer.body.error === 'blockhash_expired'
    expect(answer.status < 300 || isLate, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`).toBe(true)
    return isLate ? null : answer.body
  }
  const wallet = await generateKeyPairSigner()
  await fund(wallet.address)
  const { checkout_token: token } = await post('/subscription-intents', { tier_id: tierId, coupon }, key)
  for (;;) {
    const prepared = await post(`/pay/s/${token}/prepare`, { wallet: wallet.address })
    const signed = await signTransactionOf(wallet, Buffer.from(prepared.transaction, 'base64'))
    const body = { subscription_id: prepared.subscription_id, transaction: Buffer.from(signed).toString('base64') }
    if ((await post(`/pay/s/${token}/activate`, body)) !== null)
      return { wallet, id: prepared.subscription_id, allowed: BigInt(prepared.amount_base_units) }
  }
}
