// What a buyer tells of itself. In inputs a field that is left out is untouched and null clears it.
import type {
  CustomerDetails as CustomerDetailsShape,
  PostalAddress as PostalAddressShape,
} from '#core/payments/payment-intent.ts'
import { builder } from '#graphql/builder.ts'
import type { CustomerPatch } from '#services/services.ts'

const PostalAddress = builder.objectRef<PostalAddressShape>('PostalAddress').implement({
  fields: (t) => ({
    line1: t.exposeString('line1', { nullable: true }),
    line2: t.exposeString('line2', { nullable: true }),
    city: t.exposeString('city', { nullable: true }),
    state: t.exposeString('state', { nullable: true }),
    postalCode: t.exposeString('postal_code', { nullable: true }),
    country: t.exposeString('country', { nullable: true, description: 'ISO 3166-1 alpha-2.' }),
  }),
})

export const CustomerDetails = builder.objectRef<CustomerDetailsShape>('CustomerDetails').implement({
  fields: (t) => ({
    firstName: t.exposeString('first_name', { nullable: true }),
    lastName: t.exposeString('last_name', { nullable: true }),
    email: t.exposeString('email', { nullable: true }),
    address: t.expose('address', { type: PostalAddress, nullable: true }),
  }),
})

const PostalAddressInput = builder.inputType('PostalAddressInput', {
  fields: (t) => ({
    line1: t.field({ type: 'FormText' }),
    line2: t.field({ type: 'FormText' }),
    city: t.field({ type: 'FormText' }),
    state: t.field({ type: 'FormText' }),
    postalCode: t.field({ type: 'FormText' }),
    country: t.field({ type: 'FormText', description: 'ISO 3166-1 alpha-2.' }),
  }),
})

type PostalAddressFields = typeof PostalAddressInput.$inferInput
type CustomerFields = typeof CustomerInput.$inferInput

/** Keeps the difference between a field that was left out and one that was cleared. */
export const customerPatchOf = ({ firstName, lastName, email, address }: CustomerFields): CustomerPatch => ({
  ...sent({ first_name: firstName, last_name: lastName, email }),
  ...(address === undefined ? {} : { address: address === null ? null : addressPatchOf(address) }),
})

const addressPatchOf = ({ postalCode, ...lines }: PostalAddressFields) => sent({ ...lines, postal_code: postalCode })

/** Drops what was not sent, so that spreading it overwrites nothing. */
function sent<T extends object>(fields: T): T {
  const kept = { ...fields }
  for (const name in kept) if (kept[name] === undefined) Reflect.deleteProperty(kept, name)
  return kept
}

export const CustomerInput = builder.inputType('CustomerInput', {
  description: 'A field that is left out is untouched, null clears it.',
  fields: (t) => ({
    firstName: t.field({ type: 'FormText' }),
    lastName: t.field({ type: 'FormText' }),
    email: t.field({ type: 'FormText' }),
    address: t.field({ type: PostalAddressInput }),
  }),
})
