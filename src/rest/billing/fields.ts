// Fields that several routes of recurring billing read. The rule of a field is the identifier of its refusal; what it says
// beyond its type is judged by the service, for GraphQL as well.
import { z } from 'zod'
import { jsonObject, shownAs, text } from '#http/input.ts'
import { SHOWN_LIMIT } from '#rest/endpoints.ts'

export const name = z.string('invalid_name')
export const description = z.string('invalid_description').nullish()
export const metadata = jsonObject('invalid_metadata').nullish()
export const catalogueStatus = z.enum(['active', 'archived'], 'invalid_status')
/** Refuses a field that a change may not name, whatever it says. */
export const immutable = (identifier: string) => z.undefined(identifier).optional()

/** Accepts a count that GraphQL can hold. */
export const count = (identifier: string) => z.int32(identifier)

/** A time that is out of range in place of what is no time: the service refuses it with the range. */
const NO_TIME = 0
export const seconds = z
  .unknown()
  .meta(shownAs({ type: 'integer' }))
  .transform((given) => count('').safeParse(given).data ?? NO_TIME)

export const pageParameters = {
  limit: z
    .string('invalid_limit')
    .regex(/^(?:[1-9]\d?|100)$/, 'invalid_limit')
    .meta(SHOWN_LIMIT)
    .transform(Number)
    .default(20),
  cursor: z.string('invalid_cursor').min(1, 'invalid_cursor').optional(),
}

/** `search`, or `q` for short. */
export const searchParameters = { search: text.optional(), q: text.describe('The same as `search`.').optional() }

/** A wallet that asks on a hosted page. A missing one is refused like a malformed one. */
export const wallet = z.string('invalid_subscriber_wallet')
/** A signed transaction in base64. */
export const transaction = z.string('invalid_signature')

/** The answer of a wallet to a challenge. The service judges which parts may be missing. */
export const proofFields = {
  nonce: z.string('incomplete_proof').nullish(),
  signature: z.string('incomplete_proof').nullish(),
  signed_message: z.string('incomplete_proof').nullish(),
}

type ProofFields = { readonly [Name in keyof typeof proofFields]?: string | null | undefined }

export const proofAnswer = ({ nonce, signature, signed_message }: ProofFields) => ({
  nonce: nonce ?? null,
  signature: signature ?? null,
  signedMessage: signed_message ?? null,
})
