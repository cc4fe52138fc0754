// Every field of a payment, except the paged histories.

/** Fields that both the business and the buyer see. */
export const SHARED_FIELDS = `network derivationIndex address priceUsdCents acceptedAssets status reference expiresAt
  createdAt updatedAt version refundSender marketplaceFeeBps
  customerDetails { firstName lastName email address { line1 line2 city state postalCode country } }
  description lineItems { name quantity amountUsdCents } successUrl cancelUrl
  asset mint mintDecimals expectedAmount receivedAmount action message paymentUri shortfall
  settlement { ticker decimals destinationAmount destinationUi platformFeeAmount platformFeeUi pendingAmount signatures
    legs { role destination mint ticker decimals amount amountUi feeBps signature } }
  refunds { mint amount signatures }
  tokenRefunds { mint status amount refund { amount signatures } } tokenRefundsCount
  latePayments { mint amount status signature count refund { amount signatures } } latePaymentsCount
  latePaymentsTotals { mint amount count } held { mint amount reason } heldCount heldTotals { mint amount count }`

/** Every field of a `PaymentIntent`. */
export const EVERY_FIELD = `uuid ${SHARED_FIELDS}
  deposits(first: 3) { edges { node { asset amount signature slot blockTime use seenAt } } }
  transfers(first: 3) { edges { node { id kind status reason asset decimals signature attempts createdAt doneAt
    legs { role destination amount movedAmount feeBps } } } }
  events(first: 3) { edges { node { id type createdAt } } }`

/** Every field of a `Checkout`. */
export const EVERY_CHECKOUT_FIELD = `id ${SHARED_FIELDS}
  merchantName expiresInSeconds mayBeEmbeddedIn(origin: "https://shop.example") acceptedTokens { asset ticker name imageUrl }
  brand { logoUrl accentColor supportUrl supportEmail } countedDeposits { asset amount signature arrivedAt } namedTokens { asset ticker decimals }`
