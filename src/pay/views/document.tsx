// The HTML document of every page.
import type { PageInput, PageLinks } from '#pay/page-input.ts'
import { INPUT_ID, ROOT_ID } from '#pay/page-input.ts'
import { directionOf, LANGUAGE_NAMES, LANGUAGES } from '#pay/texts/texts.ts'
import { PageBody } from '#pay/views/body.tsx'
import { PageProvider, pageOf } from '#pay/views/context.tsx'
import { WithoutScript } from '#pay/views/without-script.tsx'

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
