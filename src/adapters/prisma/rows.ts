// Rows as Prisma gives them, and the domain's types: one function each way for each noun.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Account, ApiKey, Marketplace } from '#core/accounts/account.ts'
import { KEY_SCOPES } from '#core/accounts/account.ts'
import { isAddress, makeAddress, makeAsset, makeSignature } from '#core/chain/base58.ts'
import { keyPathFromText } from '#core/chain/keys.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import { checked, fieldsOf, oneOf, type Read, readAmount, readList, readOptional } from '#core/json.ts'
import { isBaseUnits, makeBaseUnits, makeBasisPoints } from '#core/money/amounts.ts'
import type { Payee } from '#core/payments/change.ts'
import { OBSTACLES } from '#core/payments/obstacle.ts'
import type { Deposit, Sender } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Transfer } from '#core/transfers/transfer.ts'

type Decimal = Prisma.Decimal

export type DepositRow = Omit<Prisma.DepositGetPayload<object>, 'id' | 'amount'> & {
  readonly amount: Decimal | string
}
type Lease = 'nextAttemptAt' | 'leaseUntil' | 'updatedAt'
export type TransferRow = Omit<Prisma.TransferGetPayload<object>, Lease | 'intentId'> & {
  readonly legs: readonly (Omit<Prisma.TransferLegGetPayload<object>, 'transferId' | 'amount' | 'movedAmount'> & {
    readonly amount: Decimal | string
    readonly movedAmount: Decimal | string | null
  })[]
}
export type AttemptRow = Prisma.TransferAttemptGetPayload<object>
export type AccountRow = Prisma.AccountGetPayload<object>

const units = (value: Decimal | string) => makeBaseUnits(typeof value === 'string' ? value : value.toFixed(0))
const orNull = <T, R>(value: T | null, convert: (value: T) => R): R | null => (value === null ? null : convert(value))
const addressOrNull = (value: string | null): Address | null => orNull(value, makeAddress)
const signatureOrNull = (value: string | null): Signature | null => orNull(value, makeSignature)

const readSender: Read<Sender> = (value, path) => {
  const field = fieldsOf(value, path)
  const obstacle = field('obstacle', readOptional(oneOf(OBSTACLES)))
  return {
    address: field('address', checked(isAddress)),
    amount: field('amount', readAmount(isBaseUnits)),
    ...(obstacle !== undefined && { obstacle }),
  }
}

export const senderToJson = ({ address, amount: sent, obstacle }: Sender) => ({
  address,
  amount: sent.toString(),
  ...(obstacle !== undefined && { obstacle }),
})

export const depositFromRow = (row: DepositRow): Deposit => ({
  network: row.network,
  intentId: row.intentId,
  account: makeAddress(row.account),
  asset: makeAsset(row.asset),
  amount: units(row.amount),
  signature: makeSignature(row.signature),
  slot: row.slot,
  blockTime: row.blockTime,
  senders: readList(readSender)(row.senders, 'senders'),
  use: row.use,
  seenAt: row.seenAt,
  seenVersion: row.seenVersion,
})

export function transferFromRow(row: TransferRow): Transfer {
  const legs = [...row.legs].sort((a, b) => a.position - b.position)
  return {
    id: row.id,
    key: row.key,
    network: row.network,
    kind: row.kind,
    accountId: row.accountId,
    subject: { kind: row.subjectKind, id: row.subjectId },
    source: makeAddress(row.source),
    sourceAccount: addressOrNull(row.sourceAccount),
    authority: { address: makeAddress(row.authority), key: keyPathFromText(row.network, row.authorityKey) },
    asset: makeAsset(row.asset),
    decimals: row.decimals,
    tokenProgram: addressOrNull(row.tokenProgram),
    round: row.round,
    portion: row.portion,
    legs: legs.map((leg) => ({
      role: leg.role,
      destination: makeAddress(leg.destination),
      amount: units(leg.amount),
      feeBps: leg.feeBps,
    })),
    moved: legs.map((leg) => orNull(leg.movedAmount, units)),
    status: row.status,
    reason: row.reason,
    attemptCount: row.attemptCount,
    fence: row.fence,
    signature: signatureOrNull(row.signature),
    createdAt: row.createdAt,
    plannedVersion: row.plannedVersion,
    doneAt: row.doneAt,
  }
}

export const accountFromRow = (row: AccountRow): Account => ({
  id: row.id,
  network: row.network,
  name: row.name,
  label: row.label,
  sweepDestination: addressOrNull(row.sweepDestination),
  derivationIndex: row.derivationIndex,
  webhookSecretState: { version: row.webhookSecretVersion, rotations: row.webhookSecretRotations },
  marketplaceAccountId: row.marketplaceAccountId,
  externalId: row.externalId,
  marketplaceFeeBps: orNull(row.marketplaceFeeBps, makeBasisPoints),
  brand: {
    logoName: row.logoName,
    accentColor: row.accentColor,
    supportUrl: row.supportUrl,
    supportEmail: row.supportEmail,
  },
  archivedAt: row.archivedAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

export const marketplaceFromRow = (row: Prisma.MarketplaceGetPayload<object>): Marketplace => ({
  accountId: row.accountId,
  status: row.status,
  defaultFeeBps: makeBasisPoints(row.defaultFeeBps),
  feeWallet: addressOrNull(row.feeWallet),
  sellerLimit: row.sellerLimit,
})

export const keyFromRow = (row: Prisma.ApiKeyGetPayload<object>): ApiKey => ({
  id: row.id,
  accountId: row.accountId,
  hint: row.hint,
  scopes: KEY_SCOPES.filter((scope) => row.scopes.includes(scope)),
  createdAt: row.createdAt,
  revokedAt: row.revokedAt,
})

export const tokenFromRow = (row: Prisma.TokenGetPayload<object>): Token => ({
  network: row.network,
  asset: makeAsset(row.asset),
  mint: makeAddress(row.mint),
  isNative: row.isNative,
  name: row.name,
  ticker: row.ticker,
  decimals: row.decimals,
  tokenProgram: addressOrNull(row.tokenProgram),
  extensions: row.extensions,
  feedKey: row.feedKey,
  imageName: row.imageName,
  enabled: row.enabled,
})

/** Who is paid, and who takes a cut of it: `feeDestination` is the marketplace's own, of a payment for its seller. */
export type PayeeRow = {
  readonly accountIndex: number
  readonly sweepDestination: string | null
  readonly isForSeller: boolean
  readonly feeDestination: string | null
}

export const payeeFromRow = (row: PayeeRow): Payee => ({
  accountIndex: row.accountIndex,
  sweepDestination: addressOrNull(row.sweepDestination),
  marketplace: row.isForSeller ? { feeDestination: addressOrNull(row.feeDestination) } : null,
})
