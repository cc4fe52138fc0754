// What leads a buyer to a payment: its link, the code to scan, and the element for a page of the shop.
import type { BuyerLink } from '#dashboard/browser/links.ts'
import { Code, Copyable } from '#dashboard/browser/parts/basics.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import { QrCode } from '#pay/views/qr.tsx'

export function LinkToBuyer({ link: { url, clientSecret, expiresAt } }: { link: BuyerLink }) {
  const { say, time } = useWords()
  const widget = new URL(`${site.root}/pay/widget.js`, location.href).href
  return (
    <div class="buyer-link">
      <QrCode text={url} label={say('linkQr')} />
      <div class="ways">
        <p class="secret">
          <Copyable text={url} href={url} />
        </p>
        <p class="hint">{say('linkEnds', { time: time(expiresAt) })}</p>
        <details>
          <summary>{say('widget')}</summary>
          <p class="hint">{say('widgetHint')}</p>
          <Code
            name={say('widget')}
            text={`<script src="${widget}" async></script>\n<solana-payment client-secret="${clientSecret}"></solana-payment>`}
          />
        </details>
      </div>
    </div>
  )
}
