import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalHost, originHost, readRedirect } from '#core/billing/host.ts'

const LONGEST = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`

describe('a host', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['SHOP.Example.COM', 'shop.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['a-b.c1.example', 'a-b.c1.example'],
    [LONGEST, LONGEST],
  ])('%s is kept as %s', (given, host) => {
    expect(normalHost(given)).toBe(host)
  })

  it.each([
    '',
    ' ',
    'example',
    'localhost',
    'shop.localhost',
    'https://shop.example.com',
    'shop.example.com/path',
    'shop.example.com?a',
    'shop.example.com#a',
    'shop.example.com:443',
    'user@shop.example.com',
    '*.example.com',
    'shop.example.com.',
    '.example.com',
    'shop..example.com',
    '-shop.example.com',
    'shop-.example.com',
    'sh op.example.com',
    'shop_1.example.com',
    'shop%2e.example.com',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433.1',
    '１２７.0.0.1',
    '[::1]',
    '::1',
    'shop.example.1',
    `${'a'.repeat(64)}.example`,
    `${LONGEST}d`,
    `${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.de`,
  ])('%j is refused', (given) => {
    expect(normalHost(given)).toBeNull()
  })

  it('is the same when it is normalized again, and is one that a URL leads to', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.webAuthority(), fc.string()), (given) => {
        const host = normalHost(given)
        if (host === null) return
        expect(normalHost(host)).toBe(host)
        expect(readRedirect(`https://${host}/a?b#c`)).toEqual({ href: `https://${host}/a?b#c`, host })
      }),
    )
  })
})

describe('a URL of a redirect', () => {
  it.each([
    ['https://shop.example.com', 'https://shop.example.com/'],
    ['HTTPS://shop.example.com/', 'https://shop.example.com/'],
    ['https://Shop.Example.com/thanks?order=1#top', 'https://shop.example.com/thanks?order=1#top'],
    ['https://shop.example.com:443/', 'https://shop.example.com/'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['https:///shop.example.com', 'https://shop.example.com/'],
    ['https:////shop.example.com/a', 'https://shop.example.com/a'],
    ['https://\\shop.example.com/', 'https://shop.example.com/'],
    ['https://shop.example.com\\@evil.example/', 'https://shop.example.com/@evil.example/'],
    ['https://shop.example.com\\.evil.example/', 'https://shop.example.com/.evil.example/'],
    ['https://shop.example.com/../..//a', 'https://shop.example.com//a'],
    ['https://shop.example.com?@evil.example', 'https://shop.example.com/?@evil.example'],
    ['https://shop。example。com/', 'https://shop.example.com/'],
    ['https://shop%2eexample.com/', 'https://shop.example.com/'],
  ])('%s is stored as %s', (given, href) => {
    expect(readRedirect(given)?.href).toBe(href)
  })

  it('has a stored form that no reader can take for another host', () => {
    /** RFC 3986, appendix B: what a reader that knows no browser finds. */
    const authorityOf = (url: string) => /^https:\/\/([^/?#]*)/.exec(url)?.[1]
    const part = fc.constantFrom(
      'https:',
      '/',
      '//',
      '///',
      '\\',
      '@',
      ':',
      ':443',
      '?',
      '#',
      '.',
      '%2e',
      'evil.example',
    )
    const text = fc
      .array(fc.oneof(part, fc.constant('shop.example.com'), fc.webUrl(), fc.string({ maxLength: 3 })), {
        maxLength: 6,
      })
      .map((parts) => `https://${parts.join('')}`)
    fc.assert(
      fc.property(text, (given) => {
        const redirect = readRedirect(given)
        if (redirect === null) return
        const { href, host } = redirect
        expect(authorityOf(href)).toBe(host)
        expect(href.slice(`https://${host}`.length)[0]).toBe('/')
        expect(href.split(/[?#]/)[0]).not.toContain('\\')
        expect(readRedirect(href)).toEqual(redirect)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    '',
    'shop.example.com',
    '/thanks',
    '//shop.example.com/',
    'http://shop.example.com/',
    'https:shop.example.com/',
    'https:/shop.example.com/',
    'https:\\\\shop.example.com/',
    'javascript:alert(1)//shop.example.com',
    'data:text/html,x',
    'https://shop.example.com:8443/',
    'https://user@shop.example.com/',
    'https://user:password@shop.example.com/',
    'https://localhost/',
    'https://shop.localhost/',
    'https://127.0.0.1/',
    'https://0x7f000001/',
    'https://[::1]/',
    'https://shop.example.com./',
    'https://shop.example.com@evil.example:1/',
    'https:///user@shop.example.com/',
    'https://shop.exam\tple.com/',
    '\thttps://shop.example.com/',
    `https://shop.example.com/${'ü'.repeat(1_000)}`,
    ' https://shop.example.com/',
    'https://shop.example.com/ a',
    'https://shop.exa\nmple.com/',
    'https://shop.example.com/\u202egnp',
    `https://shop.example.com/${'a'.repeat(2_048)}`,
  ])('%j is refused', (url) => {
    expect(readRedirect(url)).toBeNull()
  })
})

it.each([
  ['https://shop.example.com', 'shop.example.com'],
  ['https://shop.example.com/', null],
  ['https:///shop.example.com', null],
  ['https://SHOP.example.com', null],
])('the host of the origin %s is %s', (origin, host) => {
  expect(originHost(origin)).toBe(host)
})
