// The real stores over a test's database, and the rows that a payment refers to.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createChangeStore, createIntentWorkStore } from '#adapters/prisma/payments/change-store.ts'
import { createCheckoutStore, createIntentStore } from '#adapters/prisma/payments/payment-store.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { Network } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { type IntentPatch, startChange, step } from '#core/payments/change.ts'
import type { NewIntent, PaymentIntent } from '#core/payments/payment-intent.ts'
import { type NewPaymentTransfer, PAYMENT_TRANSFER_KINDS } from '#core/payments/transfers.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { pendingIntent } from './example-intent.ts'
import { addressNo, deposit, depositAuthority, NOW, signatureNo, sweepOf, units } from './payment.ts'
import { addAccount } from './webhook-rows.ts'

let numbers = 0
/** Returns a number that no other row of this process has. */
export const nextNumber = (): number => {
  numbers += 1
  return numbers
}

export function storesOf(db: Database) {
  return {
    intents: createIntentStore(db),
    checkout: createCheckoutStore(db),
    changes: createChangeStore(db),
    work: createIntentWorkStore(db),
    transfers: createTransferStore(db),
  }
}
export type Stores = ReturnType<typeof storesOf>

export async function addBusiness(db: Database, network: Network = 'live', marketplaceId?: string): Promise<Tenant> {
  const id = await addAccount(db, { network, ...(marketplaceId !== undefined && { marketplaceId }) })
  return tenantOf({ id, network })
}

/** Returns a new intent with its own address and secret. */
export async function newIntent(
  stores: Pick<Stores, 'intents'>,
  tenant: Tenant,
  patch: Partial<NewIntent> = {},
): Promise<NewIntent> {
  const [derivationIndex = 0] = await stores.intents.reserveIndexes(1)
  const isForSeller = patch.accountId !== undefined && patch.accountId !== tenant.accountId
  return {
    id: randomUUID(),
    accountId: tenant.accountId,
    derivationIndex,
    address: addressNo(100_000 + nextNumber()),
    clientSecretHash: randomBytes(32),
    createdBy: null,
    priceUsdCents: pendingIntent.priceUsdCents,
    acceptedAssets: ['SOL'],
    reference: null,
    expiresAt: pendingIntent.expiresAt,
    marketplaceFeeBps: isForSeller ? makeBasisPoints(0) : null,
    underpaymentToleranceBps: null,
    payeeLabel: 'Corner Shop',
    customerDetails: null,
    orderDetails: null,
    metadata: null,
    createdAt: pendingIntent.createdAt,
    ...patch,
  }
}

export const addIntent = async (
  stores: Pick<Stores, 'intents'>,
  tenant: Tenant,
  patch: Partial<NewIntent> = {},
): Promise<PaymentIntent> => (await stores.intents.create(tenant, await newIntent(stores, tenant, patch))).intent

/** Stores a change of the intent without an event. Returns the new intent. */
export async function patchIntent(
  work: Pick<IntentWorkStore, 'apply'>,
  intent: PaymentIntent,
  patch: IntentPatch,
): Promise<PaymentIntent> {
  const change = step(startChange(intent), patch, NOW, null)
  if (!(await work.apply(change))) throw new Error('the intent was changed in between')
  return change.after
}

/** Plans a sweep of the intent from a final deposit. */
export async function planSweepOf(
  { work }: { work: Pick<IntentWorkStore, 'apply'> },
  intent: PaymentIntent,
  patch: Partial<NewPaymentTransfer> = {},
): Promise<PaymentIntent> {
  const number = 10_000 + nextNumber()
  const planned: NewPaymentTransfer = {
    key: `sweep:intent:${intent.derivationIndex}:${number}`,
    portion: 'main',
    sourceAccount: null,
    kind: 'sweep',
    network: intent.network,
    accountId: intent.accountId,
    subject: { kind: 'payment', id: intent.id },
    source: intent.address,
    authority: depositAuthority(intent.address, 3, intent.derivationIndex),
    asset: 'SOL',
    decimals: 9,
    tokenProgram: null,
    round: 1,
    legs: sweepOf().legs,
    ...patch,
  }
  const change = {
    ...step(startChange(intent), { status: 'settling', received: units(1_000_000n) }, NOW, null),
    deposits: [
      deposit(number, 1_000_000n, {
        network: intent.network,
        intentId: intent.id,
        account: intent.address,
        signature: signatureNo(number),
      }),
    ],
    transfers: [planned],
  }
  if (!(await work.apply(change))) throw new Error('the intent was changed in between')
  return change.after
}
export const claimAll = (transfers: TransferStore, now = NOW, network: Network = 'live') =>
  transfers.claim(network, { now, leaseMs: 60_000, queues: queuesOf(100) })

/** Each kind of a payment's transfers, with the number of claims. */
export const queuesOf = (most: number) => PAYMENT_TRANSFER_KINDS.map((kind) => ({ kind, most }))
