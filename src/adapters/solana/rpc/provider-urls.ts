/**
 * Returns the distinct URLs in their order. Throws an Error that names a bad URL by its place: it may hold an API key.
 */
export function providerUrls(kind: string, urls: readonly string[], protocols: readonly string[]): readonly string[] {
  const distinct = [...new Set(urls)]
  if (distinct.length === 0) throw new Error(`no ${kind} URL is given`)
  for (const [index, url] of distinct.entries())
    if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol))
      throw new Error(`${kind} URL ${index + 1} is no ${protocols.map((protocol) => `${protocol}//`).join(' or ')} URL`)
  return distinct
}
