// A host to which a checkout may redirect. Spec: "Subscription resources".
import { type Decoded, flag, text, time, uuid } from '#core/codec.ts'

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
