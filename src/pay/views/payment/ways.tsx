// The ways to pay the amount that is due: a wallet of this browser, a wallet on a phone, or by hand.
import { usePage } from '#pay/views/context.tsx'
import { Copyable } from '#pay/views/parts.tsx'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import type { Paying } from '#pay/views/payment/paying.ts'
import { QrCode } from '#pay/views/qr.tsx'
import { WalletButtons } from '#pay/views/wallet-buttons.tsx'

export function Ways({ checkout, paying }: { checkout: Checkout; paying: Paying }) {
  const { say, formats } = usePage()
  const { payment, token } = checkout
  const { paymentUri, address, expectedAmount, shortfall } = payment
  if (paymentUri === null || token === null || expectedAmount === null) return null
  const amount = formats.amount(shortfall ?? expectedAmount, token)
  return (
    <>
      <WalletButtons signs="transaction" label="connectAndPay" asking={paying.asking} />
      <div class="scan">
        <QrCode text={paymentUri} label={say('qrLabel', { amount, address })} />
        <p>{say('scan')}</p>
        <a class="button plain" href={paymentUri}>
          {say('openWallet')}
        </a>
      </div>
      <details>
        <summary>{say('payByAddress')}</summary>
        <p>{say('sendExactly', { amount })}</p>
        <Copyable text={address} />
        <p class="hint">{say('exchangeWarning')}</p>
      </details>
    </>
  )
}
