import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import { checkReceipt } from '#core/receipts/check.ts'
import { receiptOfCharge, receiptOfPayment, receiptOfRefund } from '#core/receipts/receipt.ts'
import { readReceipt } from '#core/receipts/shape.ts'
import { brokenOnChain, unknownIn } from '../../../sdk/src/cli/receipt-on-chain.ts'
import { CHARGED, PULL, PULLED } from '../../support/charge.ts'
import { MINT } from '../../support/example-intent.ts'
import { exampleRefund } from '../../support/example-refund.ts'
import {
  addressNo,
  BUYER,
  choice,
  deposit,
  FEE_PAYER,
  factsWith,
  intentWith,
  leg,
  OTHER_MINT,
  signatureNo,
  sweepOf,
  units,
} from '../../support/payment.ts'
import { anyReceipted, anyRefunded, changed, ISSUER, type Leaf, landed, leavesOf } from '../../support/receipts.ts'

/** What names no money: the signature alone protects it, and `verify` the chain. */
const UNCHECKED =
  /^(iss|kind|id|as_of|network|genesis_hash|business\..*|seller\..*|order\.(created_at|reference)|quote\.sources\.\d+\.(name|at)|returned\.\d+\.role|.*\.(use|fee_bps))$/

/** Other values that a leaf could be given. */
function othersThan({ path, value }: Leaf): readonly unknown[] {
  if (value === null) return [addressNo(9_999)]
  if (typeof value === 'number') return [value + 1]
  if (/^\d+$/.test(value)) return [String(BigInt(value) + 1n), `${value}0`, ...(value === '0' ? [] : ['0'])]
  if (path === 'order.price_usd') return [(Number(value) + 0.01).toFixed(2), `1${value}`]
  if (path.endsWith('usd')) return [`1${value}`]
  if (/^\d{4}-/.test(value)) return [new Date(Date.parse(value) + 1_000).toISOString()]
  return [value.length < 32 ? `${value}X` : `${value.slice(0, -1)}${value.endsWith('X') ? 'Y' : 'X'}`]
}

describe('a receipt', () => {
  test('of any settled payment adds up, and the chain confirms it', () => {
    fc.assert(
      fc.property(anyReceipted, ({ receipt, transactions }) => {
        expect(readReceipt(receipt)).toEqual(receipt)
        expect(checkReceipt(receipt)).toEqual([])
        expect(brokenOnChain(receipt, transactions)).toEqual([])
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
            const reasons = [...broken(() => checkReceipt(readReceipt(forged)))]
            if (reasons.length === 0)
              reasons.push(
                ...broken(() => [...brokenOnChain(forged, transactions), ...unknownIn(forged, transactions)]),
              )
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

  test('lists the deposits that paid before any other: a stranger pushes none out by larger ones of another asset', () => {
    const strangers = Array.from({ length: 150 }, (_, at) =>
      deposit(100 + at, 10n ** 15n, {
        asset: at % 2 === 0 ? OTHER_MINT : SOL,
        use: at % 2 === 0 ? 'wrong_asset' : 'late',
      }),
    )
    const receipt = receiptOfPayment(settled([...strangers, deposit(1, 1_000_000n)]), ISSUER)
    expect(receipt?.deposits.map(({ use }) => use)).toContain('applied')
    expect(receipt && checkReceipt(receipt)).toEqual([])
  })

  test('adds up whatever anyone sends, in whatever assets and amounts', () => {
    const others = fc.record({
      asset: fc.constantFrom<Asset>(SOL, MINT, OTHER_MINT),
      amount: fc.bigInt({ min: 1n, max: 1_000n }),
      isLate: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(others, { minLength: 90, maxLength: 250, size: 'max' }), (sent) => {
        const deposits = sent.map(({ asset, amount, isLate }, at) =>
          deposit(100 + at, amount, { asset, use: asset !== SOL ? 'wrong_asset' : isLate ? 'late' : 'applied' }),
        )
        const receipt = receiptOfPayment(settled([deposit(1, 10n), ...deposits]), ISSUER)
        expect(receipt && checkReceipt(readReceipt(receipt))).toEqual([])
      }),
      { numRuns: 20 },
    )
  })

  test('of more returns than it lists is confirmed by the chain, also where a part of a transaction is not listed', () => {
    const late = Array.from({ length: 70 }, (_, at) => deposit(100 + at, 1_000_000n, { use: 'late' }))
    const returns = late.map((_one, at) =>
      sweepOf({
        kind: 'refund',
        legs: [leg('refund', BUYER, 995_000n), leg('network_fee', FEE_PAYER, 5_000n)],
        moved: [units(995_000n), units(5_000n)],
        status: 'done',
        signature: signatureNo(1_000 + at),
      }),
    )
    const facts = settled([deposit(1, 1_000_000n), ...late])
    const receipt = receiptOfPayment({ ...facts, transfers: [...facts.transfers, ...returns] }, ISSUER)
    if (receipt === null) throw new Error('it has settled')
    expect(receipt.other_returned).toEqual([{ mint: null, amount: '200000', count: 40 }])
    expect(checkReceipt(receipt)).toEqual([])
    const { address } = receipt
    const transactions = new Map(
      returns.map(({ signature }) =>
        landed({
          signature: signature ?? '',
          slot: 1n,
          feePayer: FEE_PAYER,
          changes: [[address, -1_000_000n] as const, [BUYER, 995_000n] as const, [FEE_PAYER, 5_000n] as const].map(
            ([account, by]) => ({ account, owner: account, mint: null, by }),
          ),
        }),
      ),
    )
    const settlement = { ...receipt.settlement, legs: [] }
    expect(brokenOnChain({ ...receipt, settlement, deposits: [] }, transactions)).toEqual([])
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
    expect(receiptOfRefund(exampleRefund, [], ISSUER)).toBeNull()
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

describe('a receipt of a refund', () => {
  test('adds up, and the chain confirms it, also where a transaction pays another refund as well', () => {
    fc.assert(
      fc.property(anyRefunded, ({ receipt, transactions }) => {
        expect(readReceipt(receipt)).toEqual(receipt)
        expect(checkReceipt(receipt)).toEqual([])
        expect(brokenOnChain(receipt, transactions)).toEqual([])
      }),
    )
  })

  test('with any changed amount, asset, payer, payee, key or transaction breaks a sum or is denied by the chain', () => {
    const seen = new Set<string>()
    const unchecked =
      /^(iss|kind|id|as_of|network|genesis_hash|amount|decimals|business\..*|seller\..*|order\.(?!payment_id).*)$/
    fc.assert(
      fc.property(anyRefunded, ({ receipt, transactions }) => {
        for (const leaf of leavesOf(receipt)) {
          const { path } = leaf
          if (unchecked.test(path)) continue
          seen.add(path.replace(/\.\d+/g, ''))
          const others = path === 'order.payment_id' ? [null] : othersThan(leaf)
          for (const other of others) {
            const forged = changed(receipt, path, other)
            const reasons = [...broken(() => checkReceipt(readReceipt(forged)))]
            if (reasons.length === 0)
              reasons.push(
                ...broken(() => [...brokenOnChain(forged, transactions), ...unknownIn(forged, transactions)]),
              )
            expect(reasons, `${path} ${String(leaf.value)} to ${String(other)}`).not.toEqual([])
          }
        }
      }),
      { numRuns: 40 },
    )
    for (const path of ['mint', 'recipient', 'reference_key', 'paid_amount', 'transactions.amount'])
      expect(seen).toContain(path)
    for (const path of ['transactions.paid_by', 'transactions.signature', 'transactions.slot'])
      expect(seen).toContain(path)
  })

  test('says less than was to be paid in no way: a larger amount breaks a rule', () => {
    fc.assert(
      fc.property(anyRefunded, ({ receipt }) => {
        const more = String(BigInt(receipt.paid_amount) + 1n)
        expect(checkReceipt({ ...receipt, amount: more })).not.toEqual([])
      }),
    )
  })
})

describe('a receipt whose issuer lies', () => {
  const [given = null] = fc.sample(
    anyReceipted.filter(({ receipt }) => receipt.returned.length > 0 && receipt.quote.sources.length > 1),
    { numRuns: 1, seed: 7 },
  )
  const [refunded = null] = fc.sample(anyRefunded, { numRuns: 1, seed: 7 })
  if (given === null || refunded === null) throw new Error('a sample has a value')
  const { receipt } = given

  test.each([
    ['kind', 'invoice', 'kind is not one of payment, charge, refund'],
    ['network', 'mainnet', 'network is not one of live, test'],
    ['quote.amount', -5, 'quote.amount is not an amount in decimal digits'],
    ['quote.amount', '-5', 'quote.amount is not an amount in decimal digits'],
    ['quote.amount', '05', 'quote.amount is not an amount in decimal digits'],
    ['quote.amount', '1e9', 'quote.amount is not an amount in decimal digits'],
    ['quote.amount', '9'.repeat(31), 'quote.amount is not an amount in decimal digits'],
    ['quote.decimals', 1e9, 'quote.decimals is not an integer from 0 to 30'],
    ['quote.decimals', 1.5, 'quote.decimals is not an integer from 0 to 30'],
    ['quote.usd', '0x10', 'quote.usd is not a plain decimal'],
    ['as_of', 'yesterday', 'as_of is not a time'],
    ['deposits', {}, 'deposits is not a list of at most 100'],
    ['deposits.0', null, 'deposits.0 is not an object'],
    ['deposits.0.use', 'gift', 'deposits.0.use is not one of applied, wrong_asset, late, unaccepted'],
    ['settlement.legs.0.role', 'tip', 'settlement.legs.0.role is not one of'],
    ['settlement.legs.0.role', 'release', 'settlement.legs.0.role is not one of'],
    ['settlement.legs.0.destination', 'the shop', 'settlement.legs.0.destination is not an address'],
    ['returned.0.signature', 'none', 'returned.0.signature is not a signature of a transaction'],
    ['business.name', 'x'.repeat(1_001), 'business.name is not a text'],
  ])('in %s is not read', (path, value, reason) => {
    expect(() => readReceipt(changed(receipt, path, value))).toThrow(reason)
  })

  test('is read without the fields that it does not know, so nothing unchecked is shown', () => {
    expect(readReceipt({ ...receipt, note: 'paid twice' })).toEqual(receipt)
  })

  test('by legs that make up for each other breaks a rule', () => {
    const [leg, ...others] = receipt.settlement.legs
    if (leg === undefined) throw new Error('a settlement has legs')
    const legs = [...others, { ...leg, role: 'platform' }]
    expect(checkReceipt({ ...receipt, settlement: { ...receipt.settlement, legs } })).not.toEqual([])
    const [deposit] = receipt.deposits
    if (deposit === undefined) throw new Error('it was paid')
    const add = (a: string) => String(BigInt(a) + BigInt(deposit.amount))
    const totals = receipt.totals.map((one) =>
      one.mint === deposit.mint ? { ...one, received: add(one.received), remaining: add(one.remaining) } : one,
    )
    const twice = { ...receipt, deposits: [...receipt.deposits, deposit], totals }
    expect(checkReceipt(twice)).toEqual(['An entry is listed twice.'])
  })

  test('by money among the others breaks a rule: fewer than a hundred are listed, or smaller ones', () => {
    const some = { mint: receipt.quote.mint, amount: '5', count: 1 }
    const add = (a: string) => String(BigInt(a) + 5n)
    const totals = receipt.totals.map((one) =>
      one.mint === some.mint ? { ...one, received: add(one.received), remaining: add(one.remaining) } : one,
    )
    expect(checkReceipt({ ...receipt, other_deposits: [some], totals })).toContain(
      'Entries are left out that could be listed.',
    )
    const large = { mint: null, amount: '402', count: 401 }
    const many = receiptOfPayment(
      settled([...Array.from({ length: 501 }, (_, at) => deposit(100 + at, 1n, { use: 'late' }))]),
      ISSUER,
    )
    if (many === null) throw new Error('it has settled')
    expect(checkReceipt(many)).toEqual([])
    expect(checkReceipt({ ...many, other_deposits: [large] })).toContain(
      'Entries are left out that are larger than one that is listed.',
    )
  })

  const [inTokens = null] = fc.sample(
    anyReceipted.filter(({ receipt: { quote, settlement } }) => quote.mint !== null && settlement.network_fee === '0'),
    { numRuns: 1, seed: 7 },
  )
  if (inTokens === null) throw new Error('a sample has a value')

  test('by a leg that the mint keeps breaks a rule: a mint keeps fees alone, and the chain says how much', () => {
    const { receipt: of, transactions } = inTokens
    const [leg, ...others] = of.settlement.legs
    if (leg === undefined || of.quote.mint === null) throw new Error('it has a leg in tokens')
    const kept = { ...of, settlement: { ...of.settlement, legs: [{ ...leg, destination: of.quote.mint }, ...others] } }
    expect(checkReceipt(kept)).toEqual(['A mint keeps more than a fee.'])
    const fee = { ...leg, role: 'network_fee', destination: of.quote.mint }
    const settlement = {
      ...of.settlement,
      legs: [fee, ...others],
      destination_amount: '0',
      network_fee: leg.amount,
    }
    const asFee = { ...of, settlement }
    expect(checkReceipt(asFee)).toEqual([])
    expect(brokenOnChain(asFee, transactions)).toEqual([
      expect.stringContaining(`${of.quote.mint} kept 0, not ${leg.amount}`),
    ])
  })

  test('by a deposit that the same transaction takes from the address again is denied by the chain', () => {
    const { receipt: of, transactions } = inTokens
    const [deposit] = of.deposits
    const landed = transactions.get(deposit?.signature ?? '')
    if (deposit === undefined || landed === undefined || deposit.mint === null) throw new Error('it was paid in tokens')
    const { accountKeys } = landed.transaction.message
    const balance = (amount: string) => ({
      accountIndex: accountKeys.length,
      mint: deposit.mint ?? '',
      owner: of.address,
      uiTokenAmount: { amount },
    })
    const message = { ...landed.transaction.message, accountKeys: [...accountKeys, addressNo(9_500)] }
    const meta = {
      ...landed.meta,
      preTokenBalances: [...(landed.meta.preTokenBalances ?? []), balance(deposit.amount)],
      postTokenBalances: [...(landed.meta.postTokenBalances ?? []), balance('0')],
    }
    const around = new Map([...transactions, [deposit.signature, { ...landed, meta, transaction: { message } }]])
    expect(brokenOnChain(of, around)).toEqual([
      expect.stringContaining(`${of.address} gained 0, not ${deposit.amount}`),
    ])
  })

  test('by any sum that is not listed breaks a rule: a refund is paid by what is listed, and only so much is left out', () => {
    const dust = Array.from({ length: 100 }, (_, at) => ({
      amount: '1',
      paid_by: null,
      signature: signatureNo(500 + at),
      slot: '1',
    }))
    const unpaid = {
      ...refunded.receipt,
      amount: '3000',
      paid_amount: '3000',
      transactions: dust,
      other_transactions: [{ mint: refunded.receipt.mint, amount: '2900', count: 2_900 }],
    }
    expect(checkReceipt(unpaid)).toEqual(['100 is listed as paid, which is less than 3000.'])
    const others = [{ mint: refunded.receipt.mint, amount: '1000000000', count: 1_000_000_000 }]
    expect(() => readReceipt({ ...unpaid, other_transactions: others })).toThrow(
      'count is not an integer from 1 to 10000',
    )
  })

  test('of a refund by a transaction that counts twice breaks a rule', () => {
    const { receipt: of } = refunded
    const [one] = of.transactions
    if (one === undefined) throw new Error('it was paid')
    const paid_amount = String(BigInt(of.paid_amount) + BigInt(one.amount))
    const twice = { ...of, transactions: [...of.transactions, one], paid_amount }
    expect(checkReceipt(twice)).toEqual(['An entry is listed twice.'])
    expect(checkReceipt({ ...of, order: { ...of.order, charge_id: of.id } })).not.toEqual([])
  })
})

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
