import { ServiceError } from '#core/errors.ts'
import { judgeLine } from '#core/marketplace/seller.ts'
import { cleanedText } from '#core/text.ts'

/** Reads a name or a label of a business, a key or a member, by the rule for those of sellers. Throws `invalid_request`. */
export function readName(field: 'name' | 'label', text: string): string {
  const name = cleanedText(text).trim()
  const refusal = judgeLine(field, name)
  if (refusal !== null) throw new ServiceError('invalid_request', refusal)
  return name
}
