// Buyers and their shop: payments of every kind through an API that may be unreachable at any moment. Each payment is
// followed to its end.
import { setTimeout as sleep } from 'node:timers/promises'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import type { Market } from './market.ts'
import type { Stage } from './stage.ts'

export const KINDS = ['exact', 'under, cancelled', 'over', 'wrong asset first'] as const
export type Kind = (typeof KINDS)[number]

const PRICE_CENTS = 300
const ASK_AGAIN_MS = 250
const LOOK_EVERY_MS = 400
/** Enough SOL to be worth returning. */
const WRONG_LAMPORTS = 5_000_000n

export type Course = {
  readonly index: number
  readonly kind: Kind
  readonly ticker: string
  readonly forSeller: boolean
  readonly status: string
  /** The amount that settled to the business or to the seller, in base units. */
  readonly settled: bigint
  /** The amount that the marketplace took, in base units. */
  readonly cut: bigint
  /** The amount that the buyer paid for the price. */
  readonly expected: bigint
  /** From the confirmed payment to the first status that shows it. */
  readonly seenAfterMs: number
  readonly endedAfterMs: number
}

// biome-ignore lint/suspicious/noExplicitAny: a customer reads JSON as any integrator would, by name
type Answer = { readonly status: number; readonly body: any }

export function createCustomers(stage: Stage, { apiKey, seller }: Market) {
  const assets = [{ ticker: 'SOL', mint: null, token: null }, ...stage.mints.map(assetOf)]

  /** Repeats a request until it is answered: connections are refused and cut while the API is down. */
  const rest = async (
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    behalf: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    for (;;) {
      try {
        const response = await fetch(stage.apiUrl + path, {
          method,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}`, ...behalf },
          ...(body && { body: JSON.stringify(body) }),
        })
        const answer = { status: response.status, body: await response.json() }
        if (answer.status < 500) return answer
      } catch {
        // The API is down.
      }
      await sleep(ASK_AGAIN_MS)
    }
  }
  const untilStatus = async (index: number, isThere: (body: Answer['body']) => boolean): Promise<Answer['body']> => {
    for (;;) {
      const { body } = await rest('GET', `/status?index=${index}`)
      if (isThere(body)) return body
      await sleep(LOOK_EVERY_MS)
    }
  }

  /** Creates an intent with its secret. Abandons an intent whose secret was lost with the answer, as a shop would. */
  const open = async (
    reference: string,
    forSeller: boolean,
  ): Promise<{ index: number; address: string; secret: string }> => {
    const behalf: Readonly<Record<string, string>> = forSeller ? { 'x-platform-on-behalf-of': seller.id } : {}
    const accepted_tokens = assets.map(({ mint }) => (mint === null ? { kind: 'sol' } : { kind: 'spl', mint }))
    for (let attempt = 1; ; attempt += 1) {
      const order = {
        amount_usd_cents: PRICE_CENTS,
        accepted_tokens,
        reference: `${reference}-${attempt}`,
        ...(forSeller && { customer: { email: 'buyer@example.com' } }),
      }
      const { status, body } = await rest('POST', '/intents', order, behalf)
      if (status !== 200) throw new Error(`no intent: ${status} ${JSON.stringify(body)}`)
      const { derivation_index: index, address, client_secret: secret } = body
      if (typeof secret === 'string') return { index, address, secret }
      await rest('POST', '/cancel', { index })
    }
  }
  const pay = (to: string, asset: (typeof assets)[number], amount: bigint): Promise<unknown> =>
    payFromWallet(stage.rpcUrl, stage.buyer, { to, amount, token: asset.token })

  return {
    assets,
    rest,
    async follow(number: number, kind: Kind, asset: (typeof assets)[number], forSeller: boolean): Promise<Course> {
      const { index, address, secret } = await open(`order-${number}`, forSeller)
      const chosen = await rest('POST', '/intents/select-token', { client_secret: secret, mint: asset.mint })
      if (chosen.status !== 200) throw new Error(`no choice: ${chosen.status} ${JSON.stringify(chosen.body)}`)
      const expected = BigInt(chosen.body.expected_lamports)
      const wrong = assets.find(({ ticker }) => ticker === (asset.ticker === 'SOL' ? 'USDD' : 'SOL'))
      if (kind === 'wrong asset first' && wrong !== undefined) await pay(address, wrong, WRONG_LAMPORTS)
      await pay(
        address,
        asset,
        kind === 'over' ? expected * 2n : kind === 'under, cancelled' ? expected / 2n : expected,
      )
      const paidAt = performance.now()
      await untilStatus(index, ({ status }) => status !== 'pending')
      const seenAfterMs = performance.now() - paidAt
      if (kind === 'under, cancelled') await rest('POST', '/cancel', { index })
      const last = await untilStatus(
        index,
        ({ status, token_refunds: refunds = [] }) =>
          ['swept', 'refunded', 'settle_failed', 'refund_failed', 'cancelled'].includes(status) &&
          (kind !== 'wrong asset first' ||
            refunds.some((one: { status: string }) => one.status === 'refunded' || one.status === 'failed')),
      )
      const times = { seenAfterMs, endedAfterMs: performance.now() - paidAt }
      return { index, kind, ticker: asset.ticker, forSeller, status: last.status, ...partsOf(last), expected, ...times }
    },
  }
}
export type Customers = ReturnType<typeof createCustomers>

/** Returns the part of the payee, and the part of the marketplace. */
function partsOf({ settlement }: Answer['body']): Pick<Course, 'settled' | 'cut'> {
  const legs: readonly { readonly role: string; readonly amount: number }[] = settlement?.legs ?? []
  const cuts = legs.filter(({ role }) => role === 'marketplace')
  return {
    settled: BigInt(settlement?.destination_amount ?? 0),
    cut: cuts.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
  }
}

const assetOf = ({ ticker, mint, tokenProgram, decimals }: Stage['mints'][number]) => ({
  ticker,
  mint: String(mint),
  token: { mint, token_program: tokenProgram, decimals },
})
