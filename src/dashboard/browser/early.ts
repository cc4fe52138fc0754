// A script of its own, which is there first: asks for what the page will show while the other scripts are on their way.
import { HOME, JOIN } from '#dashboard/browser/paths.ts'
import { earlyKey, site } from '#dashboard/browser/site.ts'

const { early, root } = site
const { pathname } = location

/** On the page of an invitation no one is logged in. */
const asked = pathname === JOIN ? [] : [...(early?.always ?? []), ...(pathname === HOME ? (early?.home ?? []) : [])]

// Nothing is asked when the other scripts were faster: their client has made the map, and asks itself.
window.early ??= new Map(
  asked.map((request) => [
    earlyKey(request),
    // Without an answer, the client asks itself.
    fetch(`${root}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
      body: JSON.stringify(request),
    }).catch(() => null),
  ]),
)
