// The ways to pay the amount that is due: a wallet of this browser, a wallet on a phone, or by hand.
import { useEffect, useState } from 'preact/hooks'
import { type Wallet, watchWallets } from '#pay/browser/wallets.ts'
import { usePage } from '#pay/views/context.tsx'
import { Button, Copyable, Notice } from '#pay/views/parts.tsx'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import { usePaying } from '#pay/views/payment/paying.ts'
import { QrCode } from '#pay/views/qr.tsx'

export function Ways({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, token } = checkout
  const { paymentUri, address, expectedAmount, shortfall } = payment
  if (paymentUri === null || token === null || expectedAmount === null) return null
  const amount = formats.amount(shortfall ?? expectedAmount, token)
  return (
    <>
      <Wallets checkout={checkout} />
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

function Wallets({ checkout }: { checkout: Checkout }) {
  const { say, site } = usePage()
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  const { step, fault, pay } = usePaying(checkout)
  useEffect(() => watchWallets(site.chain, setWallets), [site.chain])
  return (
    <div class="wallets" aria-live="polite">
      {wallets.map((wallet) => (
        <Button key={wallet.name} disabled={step !== null} onPress={() => pay(wallet)}>
          <img src={wallet.icon} alt="" width="20" height="20" />
          {say(step ?? 'connectAndPay', { wallet: wallet.name })}
        </Button>
      ))}
      {fault !== null && <Notice>{say(fault)}</Notice>}
    </div>
  )
}
