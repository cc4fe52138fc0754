import { describe, expect, it } from 'vitest'
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
