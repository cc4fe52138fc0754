// Hosts of redirects: what a business may register, and which URLs lead there. Spec: "Limits".
import { hasAtMost, isCleanText } from '#core/text.ts'

const MAX_HOST = 253
/** Characters of a URL of a redirect, as it is sent and as it is stored. */
const MAX_URL = 2_048

/** Letters, digits, hyphens and dots of any script: no scheme, port, path, wildcard, user name or escape. */
const PLAIN = /^[\p{L}\p{M}\p{N}.-]+$/u
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const IPV4 = /^\d+(?:\.\d+){3}$/

/**
 * Returns a host in lower case and punycode. Null for what is no public host name: an address, a single label, a name below
 * `localhost`, and everything that is more or less than a name.
 */
export function normalHost(text: string): string | null {
  if (!hasAtMost(MAX_HOST, text) || !PLAIN.test(text)) return null
  const host = URL.parse(`https://${text}`)?.hostname ?? ''
  return isPublicName(host) ? host : null
}

/** `host` is as URL gives it: in lower case and punycode, and an address of any notation as four numbers. */
function isPublicName(host: string): boolean {
  const labels = host.split('.')
  return (
    host.length <= MAX_HOST &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !IPV4.test(host) &&
    labels.at(-1) !== 'localhost'
  )
}

/** Without both slashes, a page of https takes the rest of a URL for a path of its own. */
const HTTPS = /^https:\/\//i

/** A page on the machine of its developer. */
const LOCAL_PAGE = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/

/** Returns whether an origin, such as `http://localhost:8080`, is of a page on the machine that opens it. */
export const isLocalPage = (origin: string): boolean => LOCAL_PAGE.test(origin)

/** Returns the host of an origin, such as `https://shop.example`. Null for what is no origin of a host that can be registered. */
export function originHost(origin: string): string | null {
  const redirect = readRedirect(origin)
  return redirect !== null && origin === `https://${redirect.host}` ? redirect.host : null
}

/** A URL of a redirect as every browser and library reads it, and the host to which it leads. */
export type RedirectUrl = { readonly href: string; readonly host: string }

/** Where a checkout sends its buyer, as it was sent. */
export type Redirects = { readonly successUrl: string | null; readonly cancelUrl: string | null }
/** A URL of a redirect, by its name in REST. Its host must be a domain of the business; null for a page of the developer's machine. */
export type Redirect = {
  readonly field: 'success_url' | 'cancel_url'
  readonly href: string
  readonly host: string | null
}

/**
 * Returns a URL of a redirect in the form in which it is stored. Browsers read `\\` and more slashes than two as others do not,
 * and the form has neither. Null for a URL that is refused whatever is registered: not https, with a port, a user name or a
 * password, with white space, or to a host that cannot be registered.
 */
export function readRedirect(text: string): RedirectUrl | null {
  if (!hasAtMost(MAX_URL, text) || !isCleanText(text) || /\s/u.test(text)) return null
  const url = HTTPS.test(text) ? URL.parse(text) : null
  if (url === null || url.port !== '' || url.href.length > MAX_URL) return null
  if (url.username !== '' || url.password !== '' || !isPublicName(url.hostname)) return null
  return { href: url.href, host: url.hostname }
}

/** Returns a page of the machine that opens it in the form in which it is stored; null for every other URL. */
export function readLocalPage(text: string): { readonly href: string; readonly host: null } | null {
  // A `blob:` has the origin of a page, too.
  const url = isCleanText(text) ? URL.parse(text) : null
  if (url?.protocol !== 'http:' || !isLocalPage(url.origin) || url.username !== '' || url.password !== '') return null
  return url.href.length <= MAX_URL ? { href: url.href, host: null } : null
}

/** Returns the redirects that are given, or the field of the first that `readRedirect` refuses. `allowsLocal`: a page of the developer's machine is taken, too. */
export function readRedirects(
  { successUrl, cancelUrl }: Redirects,
  { allowsLocal = false }: { readonly allowsLocal?: boolean } = {},
): readonly Redirect[] | Redirect['field'] {
  const redirects: Redirect[] = []
  for (const [field, url] of [
    ['success_url', successUrl],
    ['cancel_url', cancelUrl],
  ] as const) {
    if (url === null) continue
    const redirect = readRedirect(url) ?? (allowsLocal ? readLocalPage(url) : null)
    if (redirect === null) return field
    redirects.push({ field, ...redirect })
  }
  return redirects
}

/** Returns the URL as it is stored; null for one that is not given. */
export const hrefOf = (redirects: readonly Redirect[], field: Redirect['field']): string | null =>
  redirects.find((redirect) => redirect.field === field)?.href ?? null
