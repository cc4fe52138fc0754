// The report of a marketplace for one month: what each seller sold and received, by asset, in exact amounts.
//
//   SOLANA_PAYMENTS_KEY=sk_… npm run report -- 2026-11
import { SolanaPayments } from 'solana-payments-client'

export type ReportRow = {
  readonly seller: string
  readonly asset: string
  readonly payments: number
  readonly price: string
  /** What the sellers and the marketplace received, in whole units. */
  readonly seller_received: string
  readonly marketplace_fee: string
}

type Sum = { payments: number; cents: bigint; seller: bigint; fee: bigint; readonly decimals: number }

/** Reads every swept payment of the time, with its settlement. */
export async function monthlyReport(client: SolanaPayments, month: { from: string; to: string }): Promise<ReportRow[]> {
  const sums = new Map<string, Sum>()
  for await (const { id, seller } of client.marketplace.payments.list({ ...month, status: ['swept'], limit: 100 })) {
    const { settlement, price_usd_cents } = await client.marketplace.payments.get(id)
    if (!settlement || seller === null) continue
    const key = `${seller.name}\t${settlement.asset}`
    const sum = sums.get(key) ?? { payments: 0, cents: 0n, seller: 0n, fee: 0n, decimals: settlement.decimals }
    sum.payments += 1
    sum.cents += BigInt(price_usd_cents)
    for (const { role, amount } of settlement.legs) {
      if (role === 'seller') sum.seller += amount
      if (role === 'marketplace') sum.fee += amount
    }
    sums.set(key, sum)
  }
  return [...sums].sort().map(([key, { payments, cents, seller, fee, decimals }]) => {
    const [name = '', asset = ''] = key.split('\t')
    return {
      seller: name,
      asset,
      payments,
      price: `$${units(cents, 2)}`,
      seller_received: units(seller, decimals),
      marketplace_fee: units(fee, decimals),
    }
  })
}

/** Writes base units as whole units, without rounding. */
function units(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

if (import.meta.main) {
  const { SOLANA_PAYMENTS_KEY: apiKey, SOLANA_PAYMENTS_URL: baseUrl } = process.env
  const [month = new Date().toISOString().slice(0, 7)] = process.argv.slice(2)
  const from = new Date(`${month}-01T00:00:00Z`)
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1))
  const rows = await monthlyReport(new SolanaPayments({ apiKey, baseUrl }), {
    from: from.toISOString(),
    to: to.toISOString(),
  })
  console.table(rows)
}
