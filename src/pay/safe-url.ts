// URLs that a business gave, and that a person follows from a page.
import { readLocalPage, readRedirect } from '#core/billing/host.ts'

/** A URL was judged when it was stored. It is judged again where a person follows it. */
export const safeUrl = (url: string | null): string | null =>
  url === null ? null : ((readRedirect(url) ?? readLocalPage(url))?.href ?? null)
