// The frame of the operator's dashboard, and which page is in it. Without a session every address shows the way in.
import { useQuery } from '@urql/preact'
import { useEffect } from 'preact/hooks'
import { LocationProvider, Route } from 'preact-iso/router'
import { readAgain } from '#dashboard/browser/client.ts'
import { useRead } from '#dashboard/browser/data.ts'
import { Frame, loadedPage, Outside } from '#dashboard/browser/parts/frame.tsx'
import { HOME } from '#dashboard/browser/paths.ts'
import { site } from '#dashboard/browser/site.ts'
import { useAudit } from '#dashboard/operator/audit-state.ts'
import { OperatorLogOutDocument, OperatorServiceDocument } from '#dashboard/operator/documents.generated.ts'
import { LogInAgain, LogInPage } from '#dashboard/operator/login.tsx'
import { OverviewPage } from '#dashboard/operator/overview.tsx'
import { APPLICATIONS, AUDIT, BUSINESSES, businessPath, LOG, OVERVIEW, TOKENS } from '#dashboard/operator/paths.ts'
import type { OwnTextKey } from '#dashboard/operator/texts/texts.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'

// Only what is shown first is in the script. All other pages are one file, so that the first one waits for few.
const more = () => import('#dashboard/operator/more.ts')
const BusinessesPage = loadedPage(async () => (await more()).BusinessesPage)
const BusinessPage = loadedPage(async () => (await more()).BusinessPage)
const TokensPage = loadedPage(async () => (await more()).TokensPage)
const ApplicationsPage = loadedPage(async () => (await more()).ApplicationsPage)
const AuditPage = loadedPage(async () => (await more()).AuditPage)
const LogPage = loadedPage(async () => (await more()).LogPage)

/** The operator's API has no stream: what is shown is read again this often, while someone can see it. */
const READ_EVERY_MS = 5_000

export const App = () => (
  <LocationProvider scope={HOME}>
    <Entrance />
  </LocationProvider>
)

function Entrance() {
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
        <Dashboard version={data.health.version} />
        {isLoggedOut && <LogInAgain />}
      </>
    )
  return (
    <Outside fault={fault} isLoggedOut={isLoggedOut || (fault === null && !site.hasSession)}>
      <LogInPage />
    </Outside>
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

function Dashboard({ version }: { version: string }) {
  const { say } = useOwnWords()
  const { isUnderWay } = useAudit()
  return (
    <Frame
      title={say('operator')}
      hint={say('version', { version })}
      pages={PAGES.map(([path, label]) => [path, say(label)] as const)}
      logOut={OperatorLogOutDocument}
      banner={site.isSandbox ? say('sandbox') : null}
      note={isUnderWay ? <a href={AUDIT}>{say('auditRuns')}</a> : null}
      isLost={useLost()}
    >
      <Route path={OVERVIEW} component={OverviewPage} />
      <Route path={BUSINESSES} component={BusinessesPage} />
      <Route path={businessPath(':id')} component={BusinessPage} />
      <Route path={TOKENS} component={TokensPage} />
      <Route path={APPLICATIONS} component={ApplicationsPage} />
      <Route path={AUDIT} component={AuditPage} />
      <Route path={LOG} component={LogPage} />
    </Frame>
  )
}
