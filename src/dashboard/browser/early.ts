// A script of its own, which is there first: asks for what the page will show while the other scripts are on their way.
import { earlyKey, site } from '#dashboard/browser/site.ts'
import { DASHBOARD_PATH } from '#dashboard/site.ts'

const { early, root } = site
const isHome = location.pathname === root + DASHBOARD_PATH

window.early = new Map(
  [...(early?.always ?? []), ...(isHome ? (early?.home ?? []) : [])].map((request) => [
    earlyKey(request),
    // Without an answer, the client asks itself.
    fetch(`${root}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
      body: JSON.stringify(request),
    }).catch(() => null),
  ]),
)
