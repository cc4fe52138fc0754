// The receipts of everything that has settled: each is signed, adds up, and says what the ledger says. docs/contract.md, "Receipts".
import { createPublicKey, verify } from 'node:crypto'
import { CHARGES } from '#adapters/prisma/billing/tables.ts'
import { REFUNDS } from '#adapters/prisma/refunds/refund-store.ts'
import { checkReceipt } from '#core/receipts/check.ts'
import { type PaymentReceipt, type Receipt, readReceipt } from '#core/receipts/shape.ts'
import { createDirectory } from '#services/accounts/directory.ts'
import { createReceiptServices, type SignedReceipt } from '#services/receipts/receipts.ts'
import { virtualNow } from '../virtual-time.ts'
import type { IntentBook } from './books.ts'
import type { Ending } from './ending.ts'

const RULE = 'a receipt of what settled adds up, and says what the ledger says'

/** What arrived at an address and left it, by asset: null for SOL. */
type Moved = {
  readonly mint: string | null
  readonly received: string
  readonly settled: string
  readonly returned: string
}

const LEDGER = `
SELECT nullif(asset, 'SOL') AS mint, coalesce(sum(delta) FILTER (WHERE kind = 'deposit'), 0)::text AS received,
  coalesce(-sum(delta) FILTER (WHERE kind = 'sweep'), 0)::text AS settled,
  coalesce(-sum(delta) FILTER (WHERE kind IN ('refund', 'release')), 0)::text AS returned
FROM ledger_entries WHERE address = $1 GROUP BY asset`

export async function checkReceipts(ending: Ending, intents: readonly IntentBook[]): Promise<void> {
  const { db, stage, ports, findings } = ending
  const { stores } = stage
  const receipts = createReceiptServices({
    work: stores.work,
    billing: stores.billing,
    refundWork: stores.refundWork,
    directory: createDirectory({ ...stores, clock: { now: () => new Date(virtualNow()) } }),
    receiptSigner: ports.receiptSigner,
    publicUrl: 'https://pay.example.com',
    genesisHashOf: () => 'the simulated chain',
  })
  const read = async (what: string, signed: Promise<SignedReceipt>): Promise<Receipt | null> => {
    try {
      const { jws } = await signed
      const receipt = readSigned(jws, receipts.publicKeys)
      const broken = checkReceipt(receipt)
      findings.check(RULE, broken.length === 0, () => `${what}: ${broken.join(' ')}`)
      return receipt
    } catch (error) {
      findings.check(RULE, false, () => `${what}: ${error instanceof Error ? error.message : String(error)}`)
      return null
    }
  }
  for (const { id, index, address, isSettled } of intents) {
    if (!isSettled) continue
    const facts = await stores.work.facts(id)
    if (facts === null) continue
    const receipt = await read(`payment ${index}`, receipts.ofPayment(facts.intent))
    if (receipt?.kind === 'payment')
      compare(ending, `payment ${index}`, receipt, await db.query<Moved>(LEDGER, [address]))
  }
  for (const row of await db.query(`SELECT ${CHARGES.columns} FROM charges WHERE status = 'succeeded'`)) {
    const charge = CHARGES.fromRow(row)
    await read(`charge ${charge.id}`, receipts.ofCharge(charge))
  }
  for (const row of await db.query(`SELECT ${REFUNDS.columns} FROM refunds WHERE status = 'succeeded'`)) {
    const refund = REFUNDS.fromRow(row)
    await read(`refund ${refund.id}`, receipts.ofRefund(refund))
  }
}

function readSigned(jws: string, keys: Parameters<typeof checkedBy>[1]): Receipt {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  if (!checkedBy({ header, payload, signature }, keys)) throw new Error('its signature is wrong')
  return readReceipt(JSON.parse(Buffer.from(payload, 'base64url').toString()))
}

function checkedBy(
  { header, payload, signature }: Readonly<Record<'header' | 'payload' | 'signature', string>>,
  keys: ReturnType<typeof createReceiptServices>['publicKeys'],
): boolean {
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined) return false
  const publicKey = createPublicKey({ key, format: 'jwk' })
  return verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url'))
}

/** In the ledger an excess that goes back with a sweep is a part of that. */
function compare({ findings }: Ending, what: string, receipt: PaymentReceipt, ledger: readonly Moved[]): void {
  const { totals, settlement } = receipt
  for (const { mint, received, settled, returned } of totals) {
    const own = ledger.find((one) => one.mint === mint)
    const excess = settlement.legs
      .filter((leg) => leg.role === 'refund' && leg.mint === mint)
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    const said = [BigInt(received), BigInt(settled) + excess, BigInt(returned) - excess]
    const booked = [own?.received, own?.settled, own?.returned].map((amount) => BigInt(amount ?? 0))
    findings.check(
      RULE,
      said.join(' ') === booked.join(' '),
      () => `${what} in ${mint ?? 'SOL'}: ${said.join(', ')}, and the ledger ${booked.join(', ')}`,
    )
  }
}
