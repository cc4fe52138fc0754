import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalHost, redirectHost } from '#core/billing/host.ts'

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
        expect(redirectHost(`https://${host}/a?b#c`)).toBe(host)
      }),
    )
  })
})

describe('a URL of a redirect', () => {
  it.each([
    ['https://shop.example.com', 'shop.example.com'],
    ['HTTPS://shop.example.com/', 'shop.example.com'],
    ['https://Shop.Example.com/thanks?order=1#top', 'shop.example.com'],
    ['https://shop.example.com:443/', 'shop.example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
  ])('%s leads to %s', (url, host) => {
    expect(redirectHost(url)).toBe(host)
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
    ' https://shop.example.com/',
    'https://shop.example.com/ a',
    'https://shop.exa\nmple.com/',
    'https://shop.example.com/\u202egnp',
    `https://shop.example.com/${'a'.repeat(2_048)}`,
  ])('%j is refused', (url) => {
    expect(redirectHost(url)).toBeNull()
  })
})
