// The kinds of transfers of payments, and the roles of their legs.
import type { Address } from '#core/chain/types.ts'
import type { BaseUnits, BasisPoints } from '#core/money/amounts.ts'
import type { Leg } from '#core/transfers/plan.ts'
import type { NewTransfer, SubjectRef, Transfer } from '#core/transfers/transfer.ts'

/**
 * `sweep` settles to the business; `refund` returns money to its senders; `release` moves held money to an address that a person
 * approved; `rent` closes an emptied token account. `rent` is a separate subject, which no status of the payment shows.
 */
export const PAYMENT_TRANSFER_KINDS = ['sweep', 'refund', 'release', 'rent'] as const
export type PaymentTransferKind = (typeof PAYMENT_TRANSFER_KINDS)[number]

/** Spec: "Settlement object", `legs`. `buyer`: held money for the address that the buyer proposed and the business approved. */
export const LEG_ROLES = [
  'seller',
  'merchant',
  'marketplace',
  'platform',
  'refund',
  'release',
  'buyer',
  'network_fee',
] as const
export type LegRole = (typeof LEG_ROLES)[number]

/** The roles of the receiver of held money: the operator names it, or the business approves what the buyer proposes. */
export type ReleaseRole = Extract<LegRole, 'release' | 'buyer'>

export const isReleased = ({ role }: { readonly role: string }): boolean => role === 'release' || role === 'buyer'

export type PaymentLeg = Leg<LegRole>

export const makeLeg = (
  role: LegRole,
  destination: Address,
  amount: BaseUnits,
  feeBps: BasisPoints | null = null,
): PaymentLeg => ({ role, destination, amount, feeBps })

/** Leaves out legs that move nothing. */
export const withoutEmpty = (legs: readonly PaymentLeg[]): readonly PaymentLeg[] =>
  legs.filter(({ amount }) => amount > 0n)

/** The fees on a payment for a seller. */
export const CUTS = ['marketplace', 'platform'] as const

export const isCut = ({ role }: Pick<PaymentLeg, 'role'>): boolean => CUTS.some((cut) => cut === role)

/** Returns whether the leg is the share of the business. */
export const isForBusiness = ({ role }: { readonly role: string }): boolean => role === 'merchant' || role === 'seller'

export type NewPaymentTransfer = NewTransfer<PaymentTransferKind, LegRole>
export type PaymentTransfer = Transfer<PaymentTransferKind, LegRole>

/** Returns whether the transfer moves the rent reserve: it goes last, and keeps its money until it can go. */
export const isRentReserve = ({ portion }: Pick<NewPaymentTransfer, 'portion'>): boolean => portion === 'rent_reserve'

/** Returns whether the transfer is a sweep, and not only of its rent reserve. */
export const isMainSweep = (transfer: Pick<NewPaymentTransfer, 'kind' | 'portion'>): boolean =>
  transfer.kind === 'sweep' && !isRentReserve(transfer)

/** The subjects under which a payment's transfers are registered; the id of both is the payment's. */
export const PAYMENT_SUBJECT = 'payment'
export const RENT_SUBJECT = 'rent'

/** Returns what a payment's transfer is for. */
export const subjectOf = (kind: PaymentTransferKind, intentId: string): SubjectRef => ({
  kind: kind === 'rent' ? RENT_SUBJECT : PAYMENT_SUBJECT,
  id: intentId,
})

const isKind = (kind: string): kind is PaymentTransferKind => PAYMENT_TRANSFER_KINDS.some((one) => one === kind)
const isRole = (role: string): role is LegRole => LEG_ROLES.some((one) => one === role)

/** Throws RangeError for a role of another subject. */
export function makeLegRole(role: string): LegRole {
  if (!isRole(role)) throw new RangeError(`a payment has no leg for ${role}`)
  return role
}

/** Throws RangeError for a kind of another subject. */
export function makeTransferKind(kind: string): PaymentTransferKind {
  if (!isKind(kind)) throw new RangeError(`a payment has no transfer of kind ${kind}`)
  return kind
}

/** Returns the transfer in the words of payments. Throws RangeError on one of another subject. */
export const asPaymentTransfer = (transfer: Transfer): PaymentTransfer => ({
  ...transfer,
  kind: makeTransferKind(transfer.kind),
  legs: transfer.legs.map((leg) => ({ ...leg, role: makeLegRole(leg.role) })),
})
