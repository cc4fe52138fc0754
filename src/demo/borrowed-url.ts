// The business's webhook URL while a demo runs. The one from before is kept in it, so that nothing is lost with a demo
// that is killed, or with a service that ends under one: the next demo finds it there.

const PATH = '/npm-run-demo'
const KEPT = 'before'

/** Where the demo's receiver is to be reached instead of `before`. */
export function borrowedUrl(port: number, before: string | null): string {
  const url = new URL(PATH, `http://127.0.0.1:${port}`)
  if (before !== null) url.searchParams.set(KEPT, before)
  return url.href
}

/** The business's own URL, whether it is borrowed at the moment or not. */
export function ownUrl(url: string | null): string | null {
  const read = url === null ? null : URL.parse(url)
  const isBorrowed = read?.hostname === '127.0.0.1' && read.pathname === PATH
  return isBorrowed ? read.searchParams.get(KEPT) : url
}
