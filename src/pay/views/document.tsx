// The HTML document of every page.
import type { ComponentChild } from 'preact'
import { INPUT_ID, type PageInput, type PageLinks, type Problem, ROOT_ID } from '#pay/page-input.ts'
import type { PaymentState } from '#pay/states.ts'
import { directionOf, LANGUAGE_NAMES, LANGUAGES, type TextKey } from '#pay/texts/texts.ts'
import { CheckoutView } from './checkout.tsx'
import { PageProvider, pageOf, usePage } from './context.tsx'
import { Copyable, Row, Stage, Status } from './parts.tsx'
import { SOL } from './payment/amounts.ts'
import { PaymentView } from './payment.tsx'
import { PortalView } from './portal.tsx'
import { QrCode } from './qr.tsx'
import { RecoveryView } from './recovery.tsx'

// The page that says why there is no page, and what to do.

export function problemTexts({ code, status }: Problem): { readonly title: TextKey; readonly text: TextKey } {
  if (code === 'portal_session_expired') return { title: 'expiredLinkTitle', text: 'expiredLinkText' }
  if (status === 429) return { title: 'tooManyTitle', text: 'tooManyText' }
  if (status >= 500) return { title: 'unavailableTitle', text: 'unavailableText' }
  return { title: 'notFoundTitle', text: 'notFoundText' }
}

function ProblemView({ problem }: { problem: Problem }) {
  const { say, site } = usePage()
  const { title, text } = problemTexts(problem)
  const passes = problem.status === 429 || problem.status >= 500
  return (
    <Stage>
      <Status tone="attention" title={say(title)} text={say(text)} isTitle />
      {passes && (
        <a class="button plain" href="?">
          {say('reload')}
        </a>
      )}
      {!passes && problem.isOfSubscription && (
        <>
          {title === 'notFoundTitle' && <p>{say('manageInstead')}</p>}
          <a class="button primary" href={site.manage}>
            {say('getNewLink')}
          </a>
        </>
      )}
    </Stage>
  )
}

// The body of each page.

const PageBody = (input: PageInput) => (
  <PageProvider value={pageOf(input.texts, input.language, input.site)}>{viewOf(input)}</PageProvider>
)

function viewOf(input: PageInput): ComponentChild {
  switch (input.page) {
    case 'payment':
      return <PaymentView state={input.state} />
    case 'checkout':
      return <CheckoutView state={input.state} />
    case 'portal':
      return <PortalView state={input.state} />
    case 'recovery':
      return <RecoveryView />
    case 'problem':
      return <ProblemView problem={input.state} />
  }
}

// What a person can do on a page where scripts do not run. It is no part of what the browser takes over.

function WithoutScript({ input }: { input: PageInput }) {
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

/** How often the page is loaded again where scripts do not run, in seconds. */
const RELOAD_SECONDS = 20

export function Document({ input, links, title }: { input: PageInput; links: PageLinks; title: string }) {
  const { language, texts, site, theme } = input
  const page = pageOf(texts, language, site)
  const { say } = page
  return (
    <html lang={language} dir={directionOf(language)} data-theme={theme ?? undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content={theme ?? 'light dark'} />
        <title>{title}</title>
        {links.styles.map((style) => (
          <link key={style} rel="stylesheet" href={style} />
        ))}
        {links.modules.map((module) => (
          <link key={module} rel="modulepreload" href={module} />
        ))}
        {links.scripts.map((script) => (
          <script key={script} type="module" src={script} />
        ))}
        <link rel="icon" href="data:," />
        {links.scripts.length > 0 && (
          <noscript>
            <meta http-equiv="refresh" content={String(RELOAD_SECONDS)} />
          </noscript>
        )}
      </head>
      <body class={site.embeddedIn === null ? undefined : 'embedded'}>
        {site.isSandbox && <aside class="sandbox">{say('sandbox')}</aside>}
        <main id={ROOT_ID}>
          <PageBody {...input} />
        </main>
        {links.scripts.length > 0 && (
          <noscript>
            <aside class="card">
              <PageProvider value={page}>
                <WithoutScript input={input} />
              </PageProvider>
            </aside>
          </noscript>
        )}
        <footer>
          <p>{say('poweredBy')}</p>
          <nav aria-label={say('language')}>
            {LANGUAGES.map((other) => (
              <a key={other} href={links.languages[other]} lang={other} aria-current={other === language || undefined}>
                {LANGUAGE_NAMES[other]}
              </a>
            ))}
          </nav>
        </footer>
        {/* Not executed: a browser reads its text. No `<` is in it, so that nothing in it can end the element. */}
        <script
          type="application/json"
          id={INPUT_ID}
          dangerouslySetInnerHTML={{ __html: JSON.stringify(input).replaceAll('<', '\\u003c') }}
        />
      </body>
    </html>
  )
}
