// Payments of a business with everything below them that a payment can have, written straight into the database.
import { randomBytes, randomUUID } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { createIntentStore } from '#adapters/prisma/payments/payment-store.ts'
import { tenantOf } from '#core/accounts/account.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { SOL } from '#core/chain/types.ts'
import { makeUsdCents } from '#core/money/amounts.ts'

const anyAddress = () => addressOfBytes(randomBytes(32))
const anySignature = () => getBase58Decoder().decode(randomBytes(64))

/** Returns the derivation indexes. Each payment is swept, with 2 deposits, 2 transfers of 3 legs and 8 events. */
export async function writePayments(url: string, accountId: string, count: number): Promise<readonly number[]> {
  const db = await openDatabase({ kind: 'postgresql', url, poolSize: 2 })
  try {
    const store = createIntentStore(db)
    const indexes = await store.reserveIndexes(count)
    const now = new Date()
    for (const index of indexes) {
      const id = randomUUID()
      await store.create(tenantOf({ id: accountId, network: 'live' }), {
        id,
        accountId,
        derivationIndex: index,
        address: anyAddress(),
        clientSecretHash: randomBytes(32),
        createdBy: null,
        priceUsdCents: makeUsdCents(2_500),
        acceptedAssets: [SOL],
        reference: `order-${index}`,
        expiresAt: new Date(now.getTime() + 600_000),
        marketplaceFeeBps: null,
        underpaymentToleranceBps: null,
        payeeLabel: 'Corner Shop',
        orderDetails: null,
        metadata: null,
        customerDetails: { first_name: 'Ada', email: 'ada@example.com' },
        createdAt: now,
      })
      await below(db, accountId, id)
    }
    await db.query(
      `UPDATE payment_intents SET asset = 'SOL', asset_decimals = 9, expected_amount = 166666667,
         received_amount = 166666667, status = 'swept', settlement = $2 WHERE account_id = $1`,
      [accountId, JSON.stringify(SETTLEMENT)],
    )
    return indexes
  } finally {
    await db.close()
  }
}

const LEG = {
  role: 'merchant',
  destination: anyAddress(),
  mint: null,
  asset: 'SOL',
  decimals: 9,
  amount: '55555555',
  feeBps: null,
  signature: anySignature(),
}
const SETTLEMENT = {
  asset: 'SOL',
  decimals: 9,
  destinationAmount: '166666667',
  platformFeeAmount: '0',
  pendingAmount: '0',
  signatures: [anySignature()],
  legs: [LEG, LEG, LEG],
}

async function below({ prisma }: Database, accountId: string, intentId: string): Promise<void> {
  const network = 'live' as const
  const deposit = { network, intentId, asset: 'SOL', amount: 83_333_333, slot: 300_000_000n, senders: [] }
  for (let at = 0; at < 2; at++) {
    await prisma.deposit.create({
      data: { ...deposit, account: anyAddress(), signature: anySignature(), use: 'applied', blockTime: new Date() },
    })
    const legs = [0, 1, 2].map((position) => ({
      position,
      role: 'merchant' as const,
      destination: anyAddress(),
      amount: 55_555_555,
    }))
    await prisma.transfer.create({
      data: {
        key: randomUUID(),
        network,
        kind: 'sweep',
        accountId,
        subjectKind: 'payment',
        subjectId: intentId,
        intentId,
        source: anyAddress(),
        authority: anyAddress(),
        authorityKey: 'deposit/1/1',
        asset: 'SOL',
        decimals: 9,
        legs: { create: legs },
      },
    })
  }
  await prisma.event.createMany({
    data: Array.from({ length: 8 }, () => ({
      network,
      accountId,
      receiverAccountId: accountId,
      subjectKind: 'payment',
      subjectId: intentId,
      intentId,
      type: 'intent.paid',
      data: { intent: randomBytes(1_000).toString('hex') },
    })),
  })
}
