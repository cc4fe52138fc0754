// Addresses as clients and proxies write them, and what they are counted as.
import { isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countedAs, parseIpv6, readAddress } from '#core/network/ip-address.ts'

describe('an address that is read', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['[2001:db8::1]:51234', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['2001:0db8:0000:0000:0001:0000:0000:0000', '2001:db8:0:0:1::'],
    ['::', '::'],
    ['::1', '::1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:0:3:0:4:0', '1:0:2:0:3:0:4:0'],
  ])('is in one spelling: %s', (text, address) => {
    expect(readAddress(text)).toBe(address)
  })

  it.each([
    '',
    'unknown',
    '_hidden',
    'localhost',
    '256.0.0.1',
    // Octal for some programs, decimal for others.
    '203.000.113.007',
    '1.2.3',
    '1.2.3.4.5',
    ':::',
    '1::2::3',
    '[::1',
    '[bad]',
    '-',
  ])('is null for a text that is none: %j', (text) => {
    expect(readAddress(text)).toBeNull()
  })

  it('is an address again, the same', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = readAddress(text) ?? ''
        expect(isIPv4(address) || isIPv6(address)).toBe(true)
        expect(readAddress(address)).toBe(address)
        if (isIPv6(address)) expect(parseIpv6(address)).toBe(parseIpv6(text))
      }),
    )
  })
})

describe('an address that is counted', () => {
  it('is itself for IPv4, and its /64 for IPv6', () => {
    expect(countedAs('203.0.113.7')).toBe('203.0.113.7')
    expect(countedAs('2001:db8:1:2::5')).toBe('2001:db8:1:2::/64')
    expect(countedAs('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe('2001:db8:1:2::/64')
    expect(countedAs('2001:db8:1:3::5')).not.toBe('2001:db8:1:2::/64')
    expect(countedAs('')).toBe('')
  })
})
