// Ways to go on where a wallet is: this page in the app of a wallet, or on a phone.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { usePage } from '#pay/views/context.tsx'
import { Copy } from '#pay/views/parts.tsx'
import { QrCode } from '#pay/views/qr.tsx'

/** What opens a page in the browser of each app, as its documentation says. */
const APPS = [
  { name: 'Phantom', browse: 'https://phantom.app/ul/browse/' },
  { name: 'Solflare', browse: 'https://solflare.com/ul/v1/browse/' },
  { name: 'Backpack', browse: 'https://backpack.app/ul/v1/browse/' },
] as const

type Device = 'phone' | 'desktop'

/** Returns the whole address of this page, with its secret; null on another device, and until the page runs in a browser. */
function useAddressOn(device: Device): URL | null {
  const [address, setAddress] = useState<URL | null>(null)
  useEffect(() => {
    // A narrow window of a desktop is no phone.
    const isTouched = matchMedia('(pointer: coarse)').matches
    if (isTouched !== (device === 'phone')) return
    const own = new URL(location.href)
    // In another place no page embeds it.
    if (own.searchParams.has('parent')) own.searchParams.delete('parent')
    setAddress(own)
  }, [])
  return address
}

type Props = {
  /** No other way is left. */
  readonly isNeeded: boolean
}

/** Opens this page in the app of a wallet, on a phone. */
export function WalletApps({ isNeeded }: Props) {
  const { say, site } = usePage()
  const address = useAddressOn('phone')
  if (address === null) return null
  const [page, origin] = [address.href, address.origin].map(encodeURIComponent)
  return (
    <Part title={say('openInApp')} isOpen={isNeeded}>
      <ul class="apps" aria-label={say('openInApp')}>
        {APPS.map(({ name, browse }) => (
          <li key={name}>
            {/* Without the app its website opens, which no frame can show. */}
            <a
              class={`button small ${isNeeded ? 'primary' : 'plain'}`}
              href={`${browse}${page}?ref=${origin}`}
              target={site.embeddedIn === null ? undefined : '_blank'}
              rel="noreferrer"
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      <Copy text={address.href} label="copyLink" />
    </Part>
  )
}

/** Opens this page on a phone, from a desktop. */
export function OnPhone({ isNeeded }: Props) {
  const { say } = usePage()
  const address = useAddressOn('desktop')
  if (address === null) return null
  return (
    <Part title={say(isNeeded ? 'phoneOrInstall' : 'continueOnPhone')} isOpen={isNeeded}>
      <div class="scan">
        <QrCode text={address.href} label={say('pageQrLabel')} />
      </div>
      <Copy text={address.href} label="copyLink" />
    </Part>
  )
}

type PartProps = {
  readonly title: string
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

/** Shows what is folded away only once a person unfolds it. */
function Part({ title, isOpen, children }: PartProps) {
  const [isUnfolded, setUnfolded] = useState(false)
  if (isOpen)
    return (
      <section class="elsewhere">
        <p>{title}</p>
        {children}
      </section>
    )
  return (
    <details onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
      <summary>{title}</summary>
      {isUnfolded && <div class="elsewhere">{children}</div>}
    </details>
  )
}
