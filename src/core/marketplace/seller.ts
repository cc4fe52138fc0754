// A seller of a marketplace, and the rules of its fields. Spec: "Marketplace resources".
import type { Address, Network } from '#core/chain/types.ts'
import type { Metadata } from '#core/metadata.ts'
import { type BasisPoints, isBasisPoints } from '#core/money/amounts.ts'
import { CLEAN_TEXT, isKey, isName, isProse, MAX_TEXT } from '#core/text.ts'

export type Seller = {
  readonly id: string
  readonly network: Network
  readonly marketplaceAccountId: string
  readonly name: string
  readonly externalId: string | null
  readonly description: string | null
  readonly metadata: Metadata
  /** The name for buyers; null means the name of the seller. */
  readonly label: string | null
  /** The name of its stored logo. */
  readonly logoName: string | null
  readonly sweepDestination: Address | null
  /** The rate of the marketplace on its payments; null means the default rate of the marketplace. */
  readonly marketplaceFeeBps: BasisPoints | null
  /** Survives archiving, because deposit addresses derive from it. */
  readonly derivationIndex: number
  readonly archivedAt: Date | null
  /** When the operator disabled it; null while it is enabled. */
  readonly disabledAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The fields that a marketplace sets. `marketplaceFeeBps` is any number until it is judged. */
export type SellerFields = {
  readonly name: string
  readonly description: string | null
  readonly metadata: Metadata
  readonly label: string | null
  readonly sweepDestination: Address | null
  readonly marketplaceFeeBps: number | null
}

export type SellerInput = SellerFields & { readonly externalId: string | null }

/** A field that is undefined is untouched; null clears. */
export type SellerPatch = { readonly [Name in keyof SellerFields]?: SellerFields[Name] | undefined }

const MAX_LENGTH = { name: 200, label: 200, external_id: 255, description: MAX_TEXT } as const

/** The field, by its name in REST, and the broken rule. */
export type SellerRefusal = { readonly field: string; readonly rule: string }

/** Returns the first broken rule of the fields that are given; null when there is none. */
export function judgeSeller(
  fields: SellerPatch & { readonly externalId?: string | null },
  maxFeeBps: BasisPoints,
): SellerRefusal | null {
  const { name, label, externalId, description, marketplaceFeeBps } = fields
  return (
    judgeLine('name', name) ??
    judgeLine('label', label) ??
    judgeLine('external_id', externalId) ??
    judgeDescription(description) ??
    judgeFee('marketplace_fee_bps', marketplaceFeeBps, maxFeeBps)
  )
}

/** Returns why a rate is refused: it is not an integer from 0 to the maximum of the platform. */
export const judgeFee = (field: string, rate: number | null | undefined, max: BasisPoints): SellerRefusal | null =>
  rate === null || rate === undefined || (isBasisPoints(rate) && rate <= max)
    ? null
    : { field, rule: `must be an integer from 0 to ${max}` }

type LineField = Exclude<keyof typeof MAX_LENGTH, 'description'>

/** Returns why a text is refused; null when nothing is wrong, or there is no text. */
export function judgeLine(field: LineField, text: string | null | undefined): SellerRefusal | null {
  if (text === null || text === undefined) return null
  const rule = `must be one line of 1 to ${MAX_LENGTH[field]} characters`
  if (field === 'external_id') return isKey(text, MAX_LENGTH[field]) ? null : { field, rule: `${rule}, ${CLEAN_TEXT}` }
  return isName(text, MAX_LENGTH[field]) ? null : { field, rule }
}

function judgeDescription(text: string | null | undefined): SellerRefusal | null {
  if (text === null || text === undefined || isProse(text, MAX_LENGTH.description)) return null
  return { field: 'description', rule: `must be text of at most ${MAX_LENGTH.description} characters` }
}
