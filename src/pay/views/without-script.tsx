// What a person can do on a page where scripts do not run. It is no part of what the browser takes over.
import type { PageInput } from '#pay/page-input.ts'
import type { PaymentState } from '#pay/payment/state.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Copyable, Row } from '#pay/views/parts.tsx'
import { SOL } from '#pay/views/payment/amounts.ts'
import { QrCode } from '#pay/views/qr.tsx'

export function WithoutScript({ input }: { input: PageInput }) {
  if (input.page !== 'payment') return <Hint text="needsScript" />
  const { status, asset, expiresInSeconds } = input.state.payment
  const isPayable = status === 'pending' && asset === null && expiresInSeconds > 0
  return isPayable ? <ByHand state={input.state} /> : <Hint text="noScript" />
}

function Hint({ text }: { text: TextKey }) {
  const { say } = usePage()
  return <p>{say(text)}</p>
}

/** Shows how to pay before an asset is selected: what arrives selects it. */
function ByHand({ state: { payment, tokens, quotes } }: { state: PaymentState }) {
  const { say, formats } = usePage()
  const priced = tokens.flatMap((token) => {
    const quoted = quotes?.[token.asset]
    return quoted && 'expectedAmount' in quoted ? [{ ...token, amount: quoted.expectedAmount }] : []
  })
  if (priced.length === 0) return <Hint text="noScript" />
  return (
    <>
      <p>{say('noScriptPay')}</p>
      <dl class="due">
        {priced.map((token) => (
          <Row key={token.asset} label={token.name}>
            <strong>{formats.amount(token.amount, token)}</strong>
          </Row>
        ))}
      </dl>
      <div class="scan">
        <QrCode text={payment.address} label={say('addressQrLabel')} />
      </div>
      <Copyable label={say('address')} text={payment.address} />
      {priced.map(({ asset, ticker }) =>
        asset === SOL ? null : <Copyable key={asset} label={say('mint', { token: ticker })} text={asset} />,
      )}
      <p class="hint">{say('exchangeWarning')}</p>
    </>
  )
}
