// The frame of the operator's dashboard, and which page is in it. Without a session every address shows the way in.
import { useQuery } from '@urql/preact'
import { useEffect, useState } from 'preact/hooks'
import lazy from 'preact-iso/lazy'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { readAgain } from '#dashboard/browser/client.ts'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { Button, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { HOME } from '#dashboard/browser/paths.ts'
import { chooseLanguage } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import { OperatorLogOutDocument, OperatorServiceDocument } from '#dashboard/operator/documents.generated.ts'
import { LogInAgain, LogInPage } from '#dashboard/operator/login.tsx'
import { OverviewPage } from '#dashboard/operator/overview.tsx'
import { APPLICATIONS, AUDIT, BUSINESSES, businessPath, LOG, OVERVIEW, TOKENS } from '#dashboard/operator/paths.ts'
import type { OwnTextKey } from '#dashboard/operator/texts/texts.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'
import { isLanguage, LANGUAGE_NAMES, LANGUAGES } from '#pay/texts/texts.ts'

// Pages that few people open are loaded when they are shown.
const BusinessesPage = lazy(async () => (await import('#dashboard/operator/businesses.tsx')).BusinessesPage)
const BusinessPage = lazy(async () => (await import('#dashboard/operator/business.tsx')).BusinessPage)
const TokensPage = lazy(async () => (await import('#dashboard/operator/tokens.tsx')).TokensPage)
const ApplicationsPage = lazy(async () => (await import('#dashboard/operator/applications.tsx')).ApplicationsPage)
const AuditPage = lazy(async () => (await import('#dashboard/operator/audit.tsx')).AuditPage)
const LogPage = lazy(async () => (await import('#dashboard/operator/log.tsx')).LogPage)

/** The operator's API has no stream: what is shown is read again this often, while someone can see it. */
const READ_EVERY_MS = 5_000

export const App = () => (
  <LocationProvider scope={HOME}>
    <Entrance />
  </LocationProvider>
)

function Entrance() {
  const { say } = useOwnWords()
  const { data, fault, isLoggedOut } = useRead(OperatorServiceDocument, {})
  useEffect(() => {
    const read = () => {
      if (document.visibilityState === 'visible') readAgain()
    }
    const timer = setInterval(read, READ_EVERY_MS)
    for (const type of ['visibilitychange', 'online']) addEventListener(type, read)
    return () => {
      clearInterval(timer)
      for (const type of ['visibilitychange', 'online']) removeEventListener(type, read)
    }
  }, [])
  if (data !== null)
    return (
      <>
        <Frame version={data.health.version} />
        {isLoggedOut && <LogInAgain />}
      </>
    )
  if (fault === null) return <Loading />
  return isLoggedOut ? (
    <LogInPage />
  ) : (
    <main class="card">
      <FaultNotice fault={fault} />
      <Button onPress={readAgain}>{say('tryAgain')}</Button>
    </main>
  )
}

/** Whether the last read found no service. */
function useLost(): boolean {
  const [{ error }] = useQuery({ query: String(OperatorServiceDocument) })
  return error?.networkError !== undefined
}

const PAGES: readonly (readonly [path: string, label: OwnTextKey])[] = [
  [OVERVIEW, 'overview'],
  [BUSINESSES, 'businesses'],
  [TOKENS, 'tokens'],
  [APPLICATIONS, 'applications'],
  [AUDIT, 'audit'],
  [LOG, 'operatorLog'],
]

function Frame({ version }: { version: string }) {
  const { say } = useOwnWords()
  const isLost = useLost()
  return (
    <div class="frame">
      <SideBar version={version} />
      <div class="content">
        {site.isSandbox && <aside class="banner">{say('sandbox')}</aside>}
        {isLost && (
          <aside class="banner lost" aria-label={say('offline')}>
            <p role="alert">{say('offline')}</p>
          </aside>
        )}
        <main>
          <Router>
            <Route path={OVERVIEW} component={OverviewPage} />
            <Route path={BUSINESSES} component={BusinessesPage} />
            <Route path={businessPath(':id')} component={BusinessPage} />
            <Route path={TOKENS} component={TokensPage} />
            <Route path={APPLICATIONS} component={ApplicationsPage} />
            <Route path={AUDIT} component={AuditPage} />
            <Route path={LOG} component={LogPage} />
            <Route default component={NoPage} />
          </Router>
        </main>
      </div>
    </div>
  )
}

function SideBar({ version }: { version: string }) {
  const { say, language } = useOwnWords()
  const { path } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const logOut = useChange(OperatorLogOutDocument)
  return (
    <header class={isOpen ? 'side open' : 'side'}>
      <div class="business">
        <strong>{say('operator')}</strong>
        <span class="hint">{say('version', { version })}</span>
      </div>
      <button type="button" class="button plain menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {say('menu')}
      </button>
      <nav aria-label={say('menu')}>
        {PAGES.map(([target, label]) => (
          <a
            key={target}
            href={target}
            aria-current={(target === OVERVIEW ? path === target : path.startsWith(target)) ? 'page' : undefined}
            onClick={() => setOpen(false)}
          >
            {say(label)}
          </a>
        ))}
      </nav>
      <div class="foot">
        <label>
          <span class="hidden">{say('language')}</span>
          <select
            value={language}
            onChange={({ currentTarget: { value } }) => {
              if (isLanguage(value)) chooseLanguage(value)
            }}
          >
            {LANGUAGES.map((one) => (
              <option key={one} value={one} lang={one}>
                {LANGUAGE_NAMES[one]}
              </option>
            ))}
          </select>
        </label>
        <Button
          isBusy={logOut.isBusy}
          onPress={() => void logOut.run({}).then((ended) => ended !== null && location.assign(OVERVIEW))}
        >
          {say('logOut')}
        </Button>
        <FaultNotice fault={logOut.fault} />
      </div>
    </header>
  )
}

function NoPage() {
  const { say } = useOwnWords()
  return (
    <Page title={say('pageNotFound')}>
      <a href={OVERVIEW}>{say('toHome')}</a>
    </Page>
  )
}
