// Signed receipts of settled payments, paid charges and refunds that succeeded. docs/contract.md, "Receipts".
import type { Account } from '#core/accounts/account.ts'
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
  ofRefund(refund: Pick<Refund, 'id' | 'status'>): Promise<SignedReceipt>
  readonly publicKeys: readonly PublicKey[]
}

export type ReceiptDeps = {
  readonly work: Pick<IntentWorkStore, 'facts'>
  readonly billing: Pick<BillingStore, 'chargeTransfer'>
  readonly refundWork: Pick<RefundWorkStore, 'paid'>
  readonly directory: { account(id: string): Promise<Pick<Account, 'id' | 'marketplaceAccountId'> | null> }
  readonly receiptSigner: ReceiptSigner
  readonly publicUrl: string
  readonly genesisHashOf: (network: Network) => string
}

/** A name can change later, and the same state gives the same receipt: only a name that is stored with the thing is in it. */
const nameless = (id: string): Receipt['business'] => ({ id, name: null })

export function createReceiptServices(deps: ReceiptDeps): ReceiptServices {
  const { receiptSigner, genesisHashOf, publicUrl: iss } = deps
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
        ? { business: nameless(intent.callerAccountId), seller: payee }
        : { business: payee, seller: null }
      return sign(receiptOfPayment(facts, { iss, ...parties, genesisHashOf }))
    },

    async ofCharge(charge) {
      if (charge.status !== 'succeeded') throw new ServiceError('nothing_settled')
      const transfer = await deps.billing.chargeTransfer(charge.id)
      if (transfer === null) throw new Error(`charge ${charge.id} has no transfer`)
      const account = await deps.directory.account(charge.accountId)
      if (account === null) throw new Error(`no account ${charge.accountId}`)
      const { id, marketplaceAccountId } = account
      const parties: Pick<ReceiptOf, 'business' | 'seller'> =
        marketplaceAccountId === null
          ? { business: nameless(id), seller: null }
          : { business: nameless(marketplaceAccountId), seller: nameless(id) }
      return sign(receiptOfCharge(charge, transfer, { iss, ...parties, genesisHashOf }))
    },

    async ofRefund({ id, status }) {
      if (status !== 'succeeded') throw new ServiceError('nothing_settled')
      const paid = await deps.refundWork.paid(id)
      if (paid === null) throw new Error(`no refund ${id}`)
      const { refund, transactions } = paid
      const { accountId, callerAccountId, part, label } = refund
      const payer = part === 'payee' ? { id: accountId, name: label } : nameless(accountId)
      const [business, seller] = accountId === callerAccountId ? [payer, null] : [nameless(callerAccountId), payer]
      return sign(receiptOfRefund(refund, transactions, { iss, business, seller, genesisHashOf }))
    },
  }
}
