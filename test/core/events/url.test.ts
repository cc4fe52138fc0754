import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicAddress, judgeWebhookUrl, MAX_WEBHOOK_URL_LENGTH } from '#core/events/url.ts'

describe('url', () => {
  test.each([
    ['https://shop.example/hooks?a=b', null],
    ['https://shop.example:8443/hooks', null],
    ['https://8.8.8.8/', null],
    ['https://[2606:4700::1111]/', null],
    ['https://1e100.net/', null],
    ['http://shop.example/', 'not_https'],
    ['ftp://shop.example/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['shop.example/hooks', 'not_a_url'],
    ['', 'not_a_url'],
    ['https://user:secret@shop.example/', 'has_credentials'],
    ['https://user@shop.example/', 'has_credentials'],
    ['https://127.0.0.1/', 'private_address'],
    ['https://0x7f.1/', 'private_address'],
    ['https://2130706433/', 'private_address'],
    ['https://127.0.0.1./', 'private_address'],
    ['https://[::1]/', 'private_address'],
    ['https://[::ffff:10.0.0.1]/', 'private_address'],
    ['https://169.254.169.254/latest/meta-data', 'private_address'],
    ['https://localhost/', 'private_address'],
    ['https://LOCALHOST./', 'private_address'],
    ['https://api.localhost/', 'private_address'],
    [`https://shop.example/${'a'.repeat(MAX_WEBHOOK_URL_LENGTH)}`, 'too_long'],
    [`https://shop.example/${'ü'.repeat(1_000)}`, 'too_long'],
  ])('%s as a webhook URL: %s', (text, refusal) => {
    const judged = judgeWebhookUrl(text, { allowPrivate: false })
    expect('refused' in judged ? judged.refused : null).toBe(refusal)
  })

  test.each(['http://127.0.0.1:4010/hook', 'http://localhost/', 'https://192.168.1.4/', 'http://shop.example/'])(
    '%s is allowed where private addresses are',
    (text) => {
      expect(judgeWebhookUrl(text, { allowPrivate: true })).toEqual({ url: new URL(text) })
    },
  )

  test.each([
    ['http://user:secret@localhost/', 'has_credentials'],
    ['ws://localhost/', 'not_https'],
  ])('%s is refused even there: %s', (text, refused) => {
    expect(judgeWebhookUrl(text, { allowPrivate: true })).toEqual({ refused })
  })

  test.each([
    ['https:///shop.example/hook', 'https://shop.example/hook'],
    ['https://shop.example\\@evil.example/', 'https://shop.example/@evil.example/'],
    ['https://shop.exa\nmple/hook', 'https://shop.example/hook'],
    ['https://bücher.example./', 'https://xn--bcher-kva.example./'],
  ])('%j is called as %s', (text, href) => {
    const judged = judgeWebhookUrl(text, { allowPrivate: false })
    expect('url' in judged ? judged.url.href : judged).toBe(href)
    expect(judgeWebhookUrl(href, { allowPrivate: false })).toEqual(judged)
  })
})

describe('public address', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.19.255.255',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2001:0:4136:e378::',
    '2001:db8::1',
    '2002:7f00:1::',
    'localhost',
    'example.com',
    '',
    '8.8.8',
    '8.8.8.256',
    '8.8.8.8.8',
    '0x08.8.8.8',
    '08.8.8.8',
    '8.8.8.08',
    '012.0.0.1',
    '::ffff:08.8.8.8',
    '2606:4700::08.8.8.8',
    '2606:4700',
    '2606:4700::1::2',
    '1:2:3:4:5:6:7:8:9',
    '2606:4700::00001',
  ])('no webhook goes to %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '168.63.129.15',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860:0:0:0:0:8888',
    '2606:4700::1.1.1.1',
  ])('a webhook may go to %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  // The same ranges in the runtime's own block list: another parser, another way to compare.
  const special = new BlockList()
  for (const [network, length] of [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ] as const) {
    special.addSubnet(network, length, 'ipv4')
  }
  special.addAddress('168.63.129.16', 'ipv4')
  const unicast6 = new BlockList()
  unicast6.addSubnet('2000::', 3, 'ipv6')
  const special6 = new BlockList()
  for (const [network, length] of [
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ] as const) {
    special6.addSubnet(network, length, 'ipv6')
  }

  test('every IPv4 address is judged as the runtime judges it', () => {
    // Half of the samples lie close to the borders of a range.
    const byte = fc.oneof(
      fc.nat(255),
      fc.constantFrom(0, 1, 15, 16, 31, 32, 63, 64, 127, 128, 168, 169, 172, 192, 254, 255),
    )
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
        const address = bytes.join('.')
        expect(isPublicAddress(address)).toBe(!special.check(address, 'ipv4'))
      }),
      { numRuns: 2_000 },
    )
  })

  test('every IPv6 address, however it is written, is judged as the runtime judges it', () => {
    const group = fc.oneof(
      fc.nat(0xffff),
      fc.constantFrom(0, 1, 0x2000, 0x2001, 0x2002, 0x0db8, 0x01ff, 0x0200, 0x3fff, 0x0fff, 0x1000, 0xfe80),
    )
    const written = fc
      .tuple(fc.array(group, { minLength: 8, maxLength: 8 }), fc.nat(7), fc.nat(8))
      .map(([groups, from, length]) => {
        const hex = groups.map((value) => value.toString(16))
        return length === 0 ? hex.join(':') : `${hex.slice(0, from).join(':')}::${hex.slice(from + length).join(':')}`
      })
    fc.assert(
      fc.property(written, (address) => {
        expect(isIP(address)).toBe(6)
        const expected = unicast6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
        expect(isPublicAddress(address)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('nothing that the runtime calls no address is public', () => {
    const unit = fc.constantFrom(...'0123456789abcdef:.%')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        if (isIP(text) === 0) expect(isPublicAddress(text)).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })

  test('four numbers that the runtime calls no address are not public', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(digits, { minLength: 4, maxLength: 4 }), (numbers) => {
        const text = numbers.join('.')
        if (isIP(text) === 0) expect(isPublicAddress(text)).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })
})
