// What products and tiers have in common: texts, metadata, and a status. Spec: "Subscription resources", "Limits".

import type { NewAuditEntry } from '#core/accounts/audit.ts'
import { type Decoded, flag, text, time, uuid } from '#core/codec.ts'
import type { ErrorCode } from '#core/errors.ts'
import type { Metadata } from '#core/metadata.ts'
import { cleanedText, isName, isProse } from '#core/text.ts'

export const CATALOGUE_STATUSES = ['active', 'archived'] as const
/** The status of a product or a tier. */
export type CatalogueStatus = (typeof CATALOGUE_STATUSES)[number]

export type CatalogueEntry = {
  readonly name: string
  readonly description: string | null
  readonly metadata: Metadata
  readonly archivedAt: Date | null
  readonly updatedAt: Date
}

/** A field that is undefined is untouched. Metadata is replaced as a whole. */
export type CataloguePatch = {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly metadata?: Metadata | undefined
  readonly status?: CatalogueStatus | undefined
}

export const catalogueStatus = ({ archivedAt }: Pick<CatalogueEntry, 'archivedAt'>): CatalogueStatus =>
  archivedAt === null ? 'active' : 'archived'

const MAX_DESCRIPTION = 2_000

/** Returns fields with their texts cleaned. */
export const withCleanedTexts = <Fields extends Pick<CataloguePatch, 'name' | 'description'>>(
  fields: Fields,
): Fields => ({
  ...fields,
  ...(fields.name !== undefined && { name: cleanedText(fields.name) }),
  ...(typeof fields.description === 'string' && { description: cleanedText(fields.description) }),
})

/** Returns the code of the first rule that a cleaned text breaks; null when there is none. */
export function judgeTexts(
  { name, description }: Pick<CataloguePatch, 'name' | 'description'>,
  longestName: number,
): ErrorCode | null {
  if (name !== undefined && !isName(name, longestName)) return 'invalid_name'
  if (typeof description === 'string' && !isProse(description, MAX_DESCRIPTION)) return 'invalid_description'
  return null
}

/** Returns the entry after a change at `at`; the same object when nothing changes. */
export function editedEntry<Entry extends CatalogueEntry>(entry: Entry, patch: CataloguePatch, at: Date): Entry {
  const { name = entry.name, metadata = entry.metadata, status = catalogueStatus(entry) } = patch
  const description = patch.description === undefined ? entry.description : orNull(patch.description)
  const archivedAt = status === 'active' ? null : (entry.archivedAt ?? at)
  const isSame =
    name === entry.name &&
    description === entry.description &&
    archivedAt === entry.archivedAt &&
    JSON.stringify(metadata) === JSON.stringify(entry.metadata)
  return isSame ? entry : { ...entry, name, description, metadata, archivedAt, updatedAt: at }
}

/** An empty description is none. */
export const orNull = (text: string | null): string | null => (text === '' ? null : text)

// A host to which a checkout may redirect. Spec: "Subscription resources".

export const REDIRECT_DOMAIN_FIELDS = {
  id: uuid,
  accountId: uuid,
  /** Lower case, in punycode, without port and path. */
  host: text,
  active: flag,
  createdAt: time,
  updatedAt: time,
} as const

export type RedirectDomain = Decoded<typeof REDIRECT_DOMAIN_FIELDS>

/** Returns the entry of an audit log about a domain that has become active, or inactive. */
export const domainEntry = ({ id, accountId, host, active }: RedirectDomain, logOf: string): NewAuditEntry => ({
  action: active ? 'domain.added' : 'domain.archived',
  sellerId: accountId === logOf ? null : accountId,
  changes: { id: [id, id], host: active ? [null, host] : [host, null] },
})
