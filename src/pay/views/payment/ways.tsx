// The ways to pay the amount that is due: a wallet of this browser, a wallet on a phone, or by hand.
import { usePage } from '#pay/views/context.tsx'
import { OnPhone } from '#pay/views/elsewhere.tsx'
import { decimal } from '#pay/views/formats.ts'
import { Copyable } from '#pay/views/parts.tsx'
import { NATIVE, SOL } from '#pay/views/payment/amounts.ts'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import type { Paying } from '#pay/views/payment/paying.ts'
import { QrCode } from '#pay/views/qr.tsx'
import { WalletButtons } from '#pay/views/wallet-buttons.tsx'

export function Ways({ checkout, paying }: { checkout: Checkout; paying: Paying }) {
  const { say, formats } = usePage()
  const { payment, token, funds } = checkout
  const { asset, paymentUri, address, expectedAmount, shortfall } = payment
  if (paymentUri === null || token === null || expectedAmount === null) return null
  const units = shortfall ?? expectedAmount
  const amount = formats.amount(units, token)
  const own = funds.get(token.asset)
  return (
    <>
      <WalletButtons signs="transaction" label="connectAndPay" asking={paying.asking} />
      {/* It comes later than the buttons, and moves none of them. */}
      {own && (
        <p class="hint">
          <bdi>{own.wallet}</bdi>: {formats.amount(own.amount, token)}
          {' · '}
          {say('networkCost', { amount: formats.amount(own.cost, NATIVE) })}
        </p>
      )}
      <a class="button plain on-phone" href={paymentUri}>
        {say('openWallet')}
      </a>
      <details class="code">
        <summary>{say('showCode')}</summary>
        <div class="scan">
          <QrCode text={paymentUri} label={say('qrLabel', { amount, address })} />
          <p>{say('scan')}</p>
        </div>
      </details>
      <p class="hint">{say('exchangeWarning')}</p>
      <OnPhone isNeeded={false} />
      <details>
        <summary>{say('payByAddress')}</summary>
        <p>{say('sendExactly', { amount })}</p>
        <Copyable label={say('amount')} text={decimal(units, token.decimals).replace(/\.0+$|(\.\d*[1-9])0+$/, '$1')} />
        <Copyable label={say('address')} text={address} />
        {asset !== null && asset !== SOL && <Copyable label={say('mint', { token: token.ticker })} text={asset} />}
      </details>
    </>
  )
}
