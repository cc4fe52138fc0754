// The buyer's details as a request sends them: left out is untouched, null clears.
import { z } from 'zod'
import { body, text } from '#http/input.ts'
import type { CustomerInput } from '#rest/documents.generated.ts'
import { sent } from '#rest/sent.ts'

const optional = text.nullish()
/** Judged by the service, exactly as it is. */
const exact = z.string('must be a string').nullish()

export const customerFields = {
  first_name: optional,
  last_name: optional,
  email: exact,
  address: body({
    line1: optional,
    line2: optional,
    city: optional,
    state: optional,
    postal_code: optional,
    country: exact,
  }).nullish(),
}

type Customer = z.infer<z.ZodObject<typeof customerFields>>

export const customerInput = ({ first_name, last_name, email, address }: Customer): CustomerInput =>
  sent({ firstName: first_name, lastName: last_name, email, address: address && addressInput(address) })

const addressInput = ({ postal_code, ...lines }: NonNullable<Customer['address']>) =>
  sent({ ...lines, postalCode: postal_code })
