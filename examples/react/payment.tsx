// A modal payment in React. Load {pay_url}/widget.js once, for example in index.html.
import { useEffect, useRef } from 'react'
import type { SolanaPaymentElement, SolanaPaymentStatus } from './solana-payment'

type Props = {
  /** From POST /intents, by your backend. */
  readonly clientSecret: string
  /** For people only: your backend fulfils the order on the webhook intent.swept. */
  readonly onStatus: (status: SolanaPaymentStatus) => void
}

export function PayButton({ clientSecret, onStatus }: Props) {
  const element = useRef<SolanaPaymentElement>(null)

  useEffect(() => {
    const payment = element.current
    const listener = (event: CustomEvent<SolanaPaymentStatus>) => onStatus(event.detail)
    payment?.addEventListener('status', listener)
    return () => payment?.removeEventListener('status', listener)
  }, [onStatus])

  return (
    <>
      <button type="button" onClick={() => element.current?.open()}>
        Pay with Solana
      </button>
      <solana-payment ref={element} modal="" client-secret={clientSecret} />
    </>
  )
}
