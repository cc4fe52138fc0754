/** Returns the URLs. Throws an Error that names a bad URL by its place: it may hold an API key. */
export function providerUrls(kind: string, urls: readonly string[], protocols: readonly string[]): readonly string[] {
  if (urls.length === 0) throw new Error(`no ${kind} URL is given`)
  for (const [index, url] of urls.entries())
    if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol))
      throw new Error(`${kind} URL ${index + 1} is no ${protocols.map((protocol) => `${protocol}//`).join(' or ')} URL`)
  return urls
}
