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

/** Completes a checkout of a tier with a new wallet. */
export async function subscribe(story: Story, { key, tierId, coupon, fund }: Terms): Promise<Subscribed> {
  const post = async (path: string, body: object, by?: string): Promise<Json> => {
    const answer = await story.rest('POST', path, { body, ...(by !== undefined && { key: by }) })
    expect([path, answer.status, answer.body], path).toEqual([path, expect.toBeOneOf([200, 201, 202]), answer.body])
    return answer.body
  }
  const wallet = await generateKeyPairSigner()
  await fund(wallet.address)
  const { checkout_token: token } = await post('/subscription-intents', { tier_id: tierId, coupon }, key)
  const prepared = await post(`/pay/s/${token}/prepare`, { wallet: wallet.address })
  const signed = await signTransactionOf(wallet, Buffer.from(prepared.transaction, 'base64'))
  const transaction = Buffer.from(signed).toString('base64')
  await post(`/pay/s/${token}/activate`, { subscription_id: prepared.subscription_id, transaction })
  return { wallet, id: prepared.subscription_id, allowed: BigInt(prepared.amount_base_units) }
}
