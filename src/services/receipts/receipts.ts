// Signed receipts of settled payments, paid charges and refunds that succeeded. docs/contract.md, "Receipts".
import { payeeLabel } from '#core/accounts/account.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { isForSeller, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { checkReceipt } from '#core/receipts/check.ts'
import { type ReceiptOf, receiptOfCharge, receiptOfPayment, receiptOfRefund } from '#core/receipts/receipt.ts'
import { type Receipt, readReceipt } from '#core/receipts/shape.ts'
import type { Refund } from '#core/refunds/refund.ts'
import type { BillingStore } from '#ports/billing.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { PublicKey, ReceiptSigner } from '#ports/receipts.ts'
import type { RefundWorkStore } from '#ports/refunds.ts'
import type { Directory } from '#services/accounts/directory.ts'

export type SignedReceipt = {
  /** The receipt as a compact JWS. */
  readonly jws: string
  /** The last change that it knows of. */
  readonly asOf: Date
}

/** The caller was shown the payment, the charge or the refund. Every method throws `nothing_settled`. */
export type ReceiptServices = {
  ofPayment(payment: Pick<PaymentIntent, 'id' | 'settlement'>): Promise<SignedReceipt>
  ofCharge(charge: Charge): Promise<SignedReceipt>
  ofRefund(refund: Refund): Promise<SignedReceipt>
  readonly publicKeys: readonly PublicKey[]
}

export type ReceiptDeps = {
  readonly work: Pick<IntentWorkStore, 'facts'>
  readonly billing: Pick<BillingStore, 'chargeTransfer'>
  readonly refundWork: Pick<RefundWorkStore, 'transactions'>
  readonly directory: Pick<Directory, 'account'>
  readonly receiptSigner: ReceiptSigner
  readonly publicUrl: string
  readonly genesisHashOf: (network: Network) => string
}

export function createReceiptServices(deps: ReceiptDeps): ReceiptServices {
  const { receiptSigner, genesisHashOf, publicUrl: iss } = deps
  const partyOf = async (id: string) => {
    const account = await deps.directory.account(id)
    if (account === null) throw new Error(`no account ${id}`)
    return { account, party: { id, name: payeeLabel(account) } }
  }

  /** Throws on a receipt that does not add up: the log has why, and nothing is signed. */
  const sign = (receipt: Receipt | null): SignedReceipt => {
    if (receipt === null) throw new ServiceError('nothing_settled')
    const broken = checkReceipt(readReceipt(receipt))
    if (broken.length > 0)
      throw new Error(`the receipt of ${receipt.kind} ${receipt.id} does not add up: ${broken.join(' ')}`)
    return { jws: receiptSigner.sign(receipt), asOf: new Date(receipt.as_of) }
  }

  return {
    publicKeys: receiptSigner.publicKeys,

    async ofPayment({ id, settlement }) {
      if (settlement === null) throw new ServiceError('nothing_settled')
      const facts = await deps.work.facts(id)
      if (facts === null) throw new ServiceError('intent_not_found')
      const { intent } = facts
      const payee = { id: intent.accountId, name: intent.payeeLabel }
      const parties = isForSeller(intent)
        ? { business: (await partyOf(intent.callerAccountId)).party, seller: payee }
        : { business: payee, seller: null }
      return sign(receiptOfPayment(facts, { iss, ...parties, genesisHashOf }))
    },

    async ofCharge(charge) {
      if (charge.status !== 'succeeded') throw new ServiceError('nothing_settled')
      const transfer = await deps.billing.chargeTransfer(charge.id)
      if (transfer === null) throw new Error(`charge ${charge.id} has no transfer`)
      const { account, party } = await partyOf(charge.accountId)
      const parties: Pick<ReceiptOf, 'business' | 'seller'> =
        account.marketplaceAccountId === null
          ? { business: party, seller: null }
          : { business: (await partyOf(account.marketplaceAccountId)).party, seller: party }
      return sign(receiptOfCharge(charge, transfer, { iss, ...parties, genesisHashOf }))
    },

    async ofRefund(refund) {
      if (refund.status !== 'succeeded') throw new ServiceError('nothing_settled')
      const { id, accountId, callerAccountId } = refund
      const [transactions, { party: business }, { party: payer }] = await Promise.all([
        deps.refundWork.transactions(id),
        partyOf(callerAccountId),
        partyOf(accountId),
      ])
      const seller = accountId === callerAccountId ? null : payer
      return sign(receiptOfRefund(refund, transactions, { iss, business, seller, genesisHashOf }))
    },
  }
}
