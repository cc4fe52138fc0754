import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChargeTransfer } from '#core/billing/charge-transfer.ts'
import { SOL } from '#core/chain/types.ts'
import { checkReceipt } from '#core/receipts/check.ts'
import { receiptOfCharge, receiptOfPayment } from '#core/receipts/receipt.ts'
import { brokenOnChain } from '../../../sdk/src/cli/receipt-on-chain.ts'
import { CHARGED, PULL } from '../../support/charge.ts'
import { choice, deposit, factsWith, intentWith, leg, signatureNo, sweepOf, units } from '../../support/payment.ts'
import { anyReceipted, changed, GENESIS, ISSUER, type Leaf, leavesOf } from '../../support/receipts.ts'

/** What names no money: the signature alone protects it. */
const UNCHECKED =
  /^(iss|kind|id|as_of|network|business\..*|seller\..*|order\.(created_at|reference)|quote\.sources\.\d+\.(name|at)|returned\.\d+\.role|.*\.(use|fee_bps))$/

/** Other values that a leaf could be given. */
function othersThan({ path, value }: Leaf): readonly unknown[] {
  if (value === null) return ['another']
  if (typeof value === 'number') return [value + 1]
  if (/^\d+$/.test(value)) return [String(BigInt(value) + 1n), `${value}0`, ...(value === '0' ? [] : ['0'])]
  if (path === 'order.price_usd') return [(Number(value) + 0.01).toFixed(2), `1${value}`]
  if (path.endsWith('usd')) return [`1${value}`]
  if (/^\d{4}-/.test(value)) return [new Date(Date.parse(value) + 1_000).toISOString()]
  return [`${value}X`]
}

describe('a receipt', () => {
  test('of any settled payment adds up, and the chain confirms it', () => {
    fc.assert(
      fc.property(anyReceipted, ({ receipt, transactions }) => {
        expect(checkReceipt(receipt)).toEqual([])
        expect(brokenOnChain(receipt, { genesisHash: GENESIS, transactions })).toEqual([])
      }),
    )
  })

  test('with any changed amount, asset, payer, payee, price or transaction breaks a sum or is denied by the chain', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyReceipted, ({ receipt, transactions }) => {
        // A rate says nothing of a source that is not in the middle.
        const [only, ...more] = receipt.quote.sources
        for (const leaf of leavesOf(receipt)) {
          const { path } = leaf
          if (UNCHECKED.test(path)) continue
          if (path.startsWith('quote.sources') && (more.length > 0 || only === undefined)) continue
          seen.add(path.replace(/\.\d+/g, ''))
          for (const other of othersThan(leaf)) {
            const forged = changed(receipt, path, other)
            const reasons = [...broken(() => checkReceipt(forged))]
            if (reasons.length === 0)
              reasons.push(...broken(() => brokenOnChain(forged, { genesisHash: GENESIS, transactions })))
            expect(reasons, `${path} ${String(leaf.value)} to ${String(other)}`).not.toEqual([])
          }
        }
      }),
      { numRuns: 40 },
    )
    expect(seen).toContain('settlement.legs.destination')
    expect(seen).toContain('deposits.senders')
    expect(seen).toContain('returned.amount')
    expect(seen).toContain('order.price_usd')
    expect(seen).toContain('quote.sources.usd')
  })

  test('is the same text for the same state, whatever the order of its deposits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 8 }), (numbers) => {
        const deposits = [...new Set(numbers)].map((number) => deposit(number, BigInt(number)))
        const write = (list: typeof deposits) => JSON.stringify(receiptOfPayment(settled(list), ISSUER))
        expect(write(deposits.toReversed())).toBe(write(deposits))
      }),
    )
  })

  test('lists the hundred largest deposits, and counts the others: a stranger pushes no payment out', () => {
    const strangers = Array.from({ length: 500 }, (_, at) => deposit(100 + at, 1n, { use: 'late' }))
    const receipt = receiptOfPayment(settled([...strangers, deposit(1, 1_000_000n)]), ISSUER)
    expect(receipt?.deposits).toHaveLength(100)
    expect(receipt?.deposits.map(({ amount }) => amount)).toContain('1000000')
    expect(receipt?.other_deposits).toEqual([{ mint: null, amount: '401', count: 401 }])
    expect(receipt && checkReceipt(receipt)).toEqual([])
  })

  test('has nothing of the buyer but what the chain shows', () => {
    const facts = settled([deposit(1, 1_000_000n)])
    const intent = {
      ...facts.intent,
      customerDetails: { email: 'ada@example.com', first_name: 'Ada' },
      metadata: { note: 'of the business' },
      orderDetails: { description: 'A gift', lineItems: [], successUrl: null, cancelUrl: null },
    }
    expect(receiptOfPayment({ ...facts, intent }, ISSUER)).toEqual(receiptOfPayment(facts, ISSUER))
  })

  test('is null while nothing has settled', () => {
    expect(receiptOfPayment(factsWith(intentWith({ selection: choice(SOL, 1_000_000n) })), ISSUER)).toBeNull()
    expect(receiptOfCharge(CHARGED, PULLED, ISSUER)).toBeNull()
  })

  test('of a charge adds up, also where it is no whole number of cents', () => {
    const charge = { ...CHARGED, status: 'succeeded' as const, signature: signatureNo(7) }
    const receipt = receiptOfCharge(charge, PULLED, ISSUER)
    expect(receipt).toMatchObject({ kind: 'charge', order: { price_usd: '0.001' }, address: PULL.source })
    expect(receipt && checkReceipt(receipt)).toEqual([])
    expect(receipt && checkReceipt(changed(receipt, 'order.price_usd', '0.002'))).not.toEqual([])
    expect(receipt && checkReceipt(changed(receipt, 'settlement.legs.0.amount', '971'))).not.toEqual([])
  })
})

const PULLED: ChargeTransfer = {
  ...PULL,
  id: 'transfer-1',
  moved: PULL.legs.map(({ amount }) => amount),
  status: 'done',
  reason: null,
  attemptCount: 1,
  fence: 1n,
  signature: signatureNo(7),
  createdAt: CHARGED.createdAt,
  plannedVersion: 1,
  doneAt: null,
}

function broken(check: () => readonly string[]): readonly string[] {
  try {
    return check()
  } catch (error) {
    return [String(error)]
  }
}

const settled = (deposits: readonly ReturnType<typeof deposit>[]) => {
  const legs = [leg('merchant', intentWith().address, 1n)]
  const sweep = sweepOf({ legs, moved: [units(1n)], status: 'done', signature: signatureNo(900) })
  const shown = {
    ...legs[0],
    mint: null,
    asset: 'SOL',
    decimals: 9,
    signature: signatureNo(900),
    role: 'merchant' as const,
    destination: intentWith().address,
    amount: units(1n),
    feeBps: null,
  }
  return factsWith(
    intentWith({
      selection: choice(SOL, 1_000_000n),
      settlement: {
        asset: 'SOL',
        decimals: 9,
        destinationAmount: units(1n),
        platformFeeAmount: units(0n),
        pendingAmount: units(0n),
        signatures: [signatureNo(900)],
        legs: [shown],
      },
    }),
    { deposits, transfers: [sweep] },
  )
}
