// An example of a buyer's page, made by what makes the page itself, with what is entered now.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useRead } from '#dashboard/browser/data.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import { DashboardExampleTokensDocument, type DashboardExampleTokensQuery } from '#dashboard/documents.generated.ts'
import { accentName } from '#pay/accent.ts'
import type { PageInput, PageLinks } from '#pay/page-input.ts'
import type { PaymentState } from '#pay/states.ts'
import type { Language, Texts } from '#pay/texts/texts.ts'
import { render } from '#pay/views/render.tsx'

const TEXTS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('#pay/texts/en.ts')).en,
  de: async () => (await import('#pay/texts/de.ts')).de,
  es: async () => (await import('#pay/texts/es.ts')).es,
  ja: async () => (await import('#pay/texts/ja.ts')).ja,
  ar: async () => (await import('#pay/texts/ar.ts')).ar,
}

const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

type PreviewProps = {
  readonly name: string
  readonly logoUrl: string | null
  readonly accentColor: string | null
  readonly supportUrl: string | null
  readonly supportEmail: string | null
  readonly acceptedAssets: readonly string[]
}

export function Preview(props: PreviewProps) {
  const { say, language } = useWords()
  const { business } = useMe()
  const { data } = useRead(DashboardExampleTokensDocument, {})
  const [texts, setTexts] = useState<Texts | null>(null)
  const [theme, setTheme] = useState<Theme>('light')
  const frame = useRef<HTMLIFrameElement>(null)
  const [isOpen, setOpen] = useState(false)
  const name = useId()
  useEffect(() => void TEXTS[language]().then(setTexts), [language])

  // Made outside of the page's own rendering: two renderings at once would take the hooks of each other.
  useEffect(() => {
    const shown = frame.current?.contentDocument
    if (!shown || !isOpen || texts === null) return
    const tokens = data?.allowedTokens.filter(({ network }) => network === business.mode) ?? []
    show(shown, exampleOf(props, { language, texts, theme, network: business.mode, tokens }))
  })
  return (
    <figure class="preview">
      <figcaption>
        <strong>{say('preview')}</strong>
        <fieldset class="choices">
          <legend class="hidden">{say('preview')}</legend>
          {THEMES.map((one) => (
            <label key={one} class="check">
              <input type="radio" name={name} checked={theme === one} onChange={() => setTheme(one)} />
              {say(one)}
            </label>
          ))}
        </fieldset>
      </figcaption>
      {/* Nothing in it can be pressed or paid. */}
      <iframe ref={frame} title={say('preview')} srcdoc="<!doctype html>" onLoad={() => setOpen(true)} inert />
      <p class="hint">{say('previewText')}</p>
    </figure>
  )
}

type Tokens = DashboardExampleTokensQuery['allowedTokens']
type Setting = {
  readonly language: Language
  readonly texts: Texts
  readonly theme: Theme
  readonly network: 'live' | 'test'
  readonly tokens: Tokens
}

const DOLLARS = 25n
/** As many assets as are in sight. */
const SHOWN_TOKENS = 3

/** Returns an amount for the example: as if every token but SOL were worth a dollar. */
const amountOf = ({ asset, decimals }: Tokens[number]): string =>
  String((DOLLARS * 10n ** BigInt(decimals)) / (asset === 'SOL' ? 150n : 1n))

/** Returns the document of the page of a payment that waits for its buyer. */
function exampleOf(props: PreviewProps, { language, texts, theme, network, tokens }: Setting): string {
  const { name, acceptedAssets, logoUrl } = props
  const accepted = tokens.filter(({ asset }) => acceptedAssets.length === 0 || acceptedAssets.includes(asset))
  const shown = accepted.slice(0, SHOWN_TOKENS)
  const accentColor = /^#[0-9a-f]{6}$/i.test(props.accentColor ?? '') ? props.accentColor : null
  const state: PaymentState = {
    clientSecret: '',
    payment: { ...NEW_PAYMENT, network, merchantName: name },
    order: { reference: 'order-1001', description: null, lineItems: [], successUrl: null, cancelUrl: null },
    brand: {
      logoUrl,
      accentColor,
      supportUrl: isPage(props.supportUrl) ? props.supportUrl : null,
      supportEmail: props.supportEmail,
    },
    tokens: shown,
    quotes: Object.fromEntries(shown.map((token) => [token.asset, { expectedAmount: amountOf(token) }])),
    windowSeconds: NEW_PAYMENT.expiresInSeconds,
    details: [],
  }
  const pageSite = { api: site.root, chain: '', manage: '', isSandbox: site.isSandbox, embeddedIn: null }
  const input: PageInput = { page: 'payment', state, language, texts, theme, site: pageSite }
  const accent = accentColor === null ? [] : [accentName(accentColor.toLowerCase())]
  const styles = [...site.buyerStyles, ...accent].map((file) => `${site.files}/${file}`)
  return render(input, { styles, scripts: [], modules: [], languages: NO_LINKS })
}

const isPage = (url: string | null): url is string => url !== null && URL.canParse(url) && url.startsWith('https:')

const NO_LINKS: PageLinks['languages'] = { en: '', de: '', es: '', ja: '', ar: '' }

const NEW_PAYMENT: Omit<PaymentState['payment'], 'network' | 'merchantName'> = {
  version: 1,
  status: 'pending',
  action: 'waiting',
  priceUsdCents: Number(DOLLARS) * 100,
  address: '',
  asset: null,
  expectedAmount: null,
  receivedAmount: '0',
  shortfall: null,
  isCovered: false,
  paymentUri: null,
  expiresInSeconds: 600,
  refundSender: null,
  customerDetails: null,
  countedDeposits: [],
  settlement: null,
  namedTokens: [],
  refunds: [],
  tokenRefunds: [],
  latePayments: [],
  held: [],
  heldCount: 0,
  refundAddress: null,
}

/** Shows a document in a frame. A style that is there already stays, so that nothing flickers while a person writes. */
function show(shown: Document, html: string): void {
  const next = new DOMParser().parseFromString(html, 'text/html')
  const [old, wanted] = [stylesOf(shown), stylesOf(next)]
  for (const [href, link] of wanted) if (!old.has(href)) shown.head.append(shown.adoptNode(link))
  for (const [href, link] of old) if (!wanted.has(href)) link.remove()
  const { lang, dir } = next.documentElement
  const { theme } = next.documentElement.dataset
  Object.assign(shown.documentElement, { lang, dir })
  if (theme !== undefined) shown.documentElement.dataset.theme = theme
  shown.body.replaceWith(shown.adoptNode(next.body))
}

const stylesOf = (page: Document): ReadonlyMap<string | null, HTMLLinkElement> =>
  new Map(
    Array.from(page.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'), (link) => [
      link.getAttribute('href'),
      link,
    ]),
  )
