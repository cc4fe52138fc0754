// Rows as Prisma or a statement gives them, read as the domain's types.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { type Account, MARKETPLACE_FIELDS } from '#core/accounts/account.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import { ACTOR_KINDS, type Actor } from '#core/accounts/audit.ts'
import type { Login, Member } from '#core/accounts/member.ts'
import { KEY_SCOPES, ROLES } from '#core/accounts/permissions.ts'
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import type { Address } from '#core/chain/types.ts'
import { fieldsOf, oneOf, readNullable, readString } from '#core/json.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { Payee } from '#core/payments/change.ts'
import { DEPOSIT_FIELDS } from '#core/payments/payment-intent.ts'
import { TOKEN_FIELDS } from '#core/tokens/token.ts'
import { readTable } from './sql.ts'

export const DEPOSITS = readTable('deposits', DEPOSIT_FIELDS)
export const MARKETPLACES = readTable('marketplaces', MARKETPLACE_FIELDS)
export const TOKENS = readTable('tokens', TOKEN_FIELDS)

export type AccountRow = Prisma.AccountGetPayload<object>

const orNull = <T, R>(value: T | null, convert: (value: T) => R): R | null => (value === null ? null : convert(value))
export const addressOrNull = (value: string | null): Address | null => orNull(value, makeAddress)

export const accountFromRow = (row: AccountRow): Account => ({
  id: row.id,
  network: row.network,
  name: row.name,
  label: row.label,
  sweepDestination: addressOrNull(row.sweepDestination),
  derivationIndex: row.derivationIndex,
  marketplaceAccountId: row.marketplaceAccountId,
  externalId: row.externalId,
  marketplaceFeeBps: orNull(row.marketplaceFeeBps, makeBasisPoints),
  brand: {
    logoName: row.logoName,
    accentColor: row.accentColor,
    supportUrl: row.supportUrl,
    supportEmail: row.supportEmail,
  },
  defaults: {
    acceptedAssets: row.acceptedAssets.map(makeAsset),
    successUrl: row.successUrl,
    cancelUrl: row.cancelUrl,
    underpaymentToleranceBps: makeBasisPoints(row.underpaymentToleranceBps),
  },
  archivedAt: row.archivedAt,
  disabledAt: row.disabledAt,
  disabledReason: row.disabledReason,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

export const memberFromRow = (row: Prisma.MemberGetPayload<object>): Member => ({
  ...row,
  role: oneOf(ROLES)(row.role, 'members.role'),
})

export const loginFromRow = ({
  id,
  name,
  wallet,
  createdAt,
  lastUsedAt,
}: Prisma.LoginCredentialGetPayload<object>): Login => ({
  id,
  name,
  wallet: addressOrNull(wallet),
  createdAt,
  lastUsedAt,
})

/** Reads an actor that was stored as JSON. */
export const actorFromJson = (value: unknown): Actor => {
  const field = fieldsOf(value, 'actor')
  const text = readNullable(readString)
  return {
    kind: field('kind', oneOf(ACTOR_KINDS)),
    credential: field('credential', text),
    memberId: field('memberId', text),
    ip: field('ip', text),
  }
}

const creatorOf = (value: unknown): ApiKey['createdBy'] => {
  const field = fieldsOf(value, 'created_by')
  return { kind: field('kind', oneOf(ACTOR_KINDS)), credential: field('credential', readNullable(readString)) }
}

export const keyFromRow = (row: Prisma.ApiKeyGetPayload<object>): ApiKey => ({
  id: row.id,
  accountId: row.accountId,
  name: row.name,
  hint: row.hint,
  scopes: KEY_SCOPES.filter((scope) => row.scopes.includes(scope)),
  createdBy: creatorOf(row.createdBy),
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
  revokedAt: row.revokedAt,
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
