import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { contrastOf, isReadableOn, readColor, textOn } from '#core/accounts/brand.ts'
import { KEY_SCOPES, permissionsOf, ROLES, withParts } from '#core/accounts/permissions.ts'

describe('the permissions of a role', () => {
  it('an owner has every permission that a key can have, and those of members alone', () => {
    const owner = permissionsOf('owner')
    expect([...owner]).toEqual(expect.arrayContaining([...KEY_SCOPES, 'members-manage', 'payout-manage']))
  })

  it('only an owner manages members and the payout wallet', () => {
    const managers = (permission: 'members-manage' | 'payout-manage') =>
      ROLES.filter((role) => permissionsOf(role).has(permission))
    expect([managers('members-manage'), managers('payout-manage')]).toEqual([['owner'], ['owner']])
  })

  it('a developer manages keys and webhooks, and moves no money', () => {
    const developer = permissionsOf('developer')
    expect(developer).toContain('keys-manage')
    expect(developer).toContain('webhooks-manage')
    for (const money of ['payments', 'marketplace-manage', 'subscriptions-manage'] as const)
      expect(developer).not.toContain(money)
  })

  it('finance moves money, and manages neither keys nor webhooks', () => {
    const finance = permissionsOf('finance')
    for (const money of ['payments', 'marketplace-manage', 'subscriptions-manage'] as const)
      expect(finance).toContain(money)
    for (const other of ['keys-manage', 'webhooks-manage'] as const) expect(finance).not.toContain(other)
  })

  it('a viewer reads everything and changes nothing', () => {
    const viewer = [...permissionsOf('viewer')]
    const views = [...permissionsOf('owner')].filter((permission) => permission.endsWith('-view'))
    expect(viewer.toSorted()).toEqual(views.toSorted())
  })

  it.each(ROLES)('%s has the parts of each permission that it has', (role) => {
    const permissions = permissionsOf(role)
    expect(withParts([...permissions])).toEqual(permissions)
  })
})

describe('a brand', () => {
  const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

  test('the text on any accent color has the contrast that WCAG asks for', () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        expect(contrastOf(color, textOn(color))).toBeGreaterThanOrEqual(4.5)
        expect(isReadableOn(textOn(color), [color])).toBe(true)
      }),
    )
  })

  test('the contrast of two colors is that of WCAG', () => {
    expect(contrastOf('#000000', '#ffffff')).toBe(21)
    expect(contrastOf('#ffffff', '#767676')).toBeCloseTo(4.54, 2)
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  test('a color has three or six digits, and is stored with six', () => {
    expect(['#0A7', '#00aa77', '#0A70', '0a7', '', '#00aa7g'].map(readColor)).toEqual([
      '#00aa77',
      '#00aa77',
      null,
      null,
      null,
      null,
    ])
  })
})
