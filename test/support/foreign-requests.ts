// What other pages and programs send with a cookie of ours: headers by which a request is not one of the pages at an https origin.

export function foreignTo(origin: string): readonly (readonly [what: string, headers: Record<string, string>])[] {
  const { host } = new URL(origin)
  return [
    ['no origin', {}],
    ['no origin, and a mark of the same origin', { 'sec-fetch-site': 'same-origin' }],
    ['the origin null of a sandboxed frame', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['another site', { origin: 'https://evil.example' }],
    ['a host that begins like ours', { origin: `${origin}.evil.example` }],
    ['a host that ends like ours', { origin: `https://evil-${host}` }],
    ['a subdomain', { origin: `https://shop.${host}` }],
    ['a sibling', { origin: 'https://shop.example.com' }],
    ['the parent domain', { origin: 'https://example.com' }],
    ['another port', { origin: `${origin}:8443` }],
    ['the usual port, written out', { origin: `${origin}:443` }],
    ['plain http', { origin: origin.replace('https', 'http') }],
    ['another scheme', { origin: origin.replace('https', 'app') }],
    ['a path behind the origin', { origin: `${origin}/` }],
    ['a user name in the origin', { origin: `https://${host}@evil.example` }],
    ['our origin in other letters', { origin: origin.toUpperCase() }],
    ['two origins', { origin: `${origin}, https://evil.example` }],
    ['our origin in other headers only', { referer: `${origin}/dashboard`, 'x-forwarded-host': host, host }],
  ]
}
