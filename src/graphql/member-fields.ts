// Members as both schemas show them. Each schema has a builder of its own, as for API keys.
import type { Role } from '#core/accounts/permissions.ts'
import type { ShownLink } from '#services/accounts/members.ts'

export const ROLE_VALUES = {
  owner: { description: 'Everything, and the members themselves.' },
  developer: { description: 'Keys and webhooks, and reading. No money.' },
  finance: { description: 'Payments, exports, and the money of the marketplace and of subscriptions. No keys.' },
  viewer: { description: 'Reading.' },
} as const satisfies Record<Role, { readonly description: string }>

type Described = { description: string }

type LoginFields<Field> = {
  expose(name: 'id', options: Described & { type: 'UUID' }): Field
  expose(name: 'wallet', options: Described & { type: 'SolanaAddress'; nullable: true }): Field
  expose(name: 'createdAt', options: Described & { type: 'DateTimeISO' }): Field
  expose(name: 'lastUsedAt', options: Described & { type: 'DateTimeISO'; nullable: true }): Field
  exposeString(name: 'name', options: Described): Field
}

export const loginFields = <Field>(t: LoginFields<Field>) => ({
  id: t.expose('id', { type: 'UUID', description: 'The id of the login.' }),
  name: t.exposeString('name', { description: 'Which device or wallet it is.' }),
  wallet: t.expose('wallet', {
    type: 'SolanaAddress',
    nullable: true,
    description: 'The wallet. Null for a passkey.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time at which it was set up.' }),
  lastUsedAt: t.expose('lastUsedAt', {
    type: 'DateTimeISO',
    nullable: true,
    description: 'The time of its last use. Null before the first.',
  }),
})

type MemberFields<RoleType, Field> = {
  expose(name: 'id', options: Described & { type: 'UUID' }): Field
  expose(name: 'role', options: Described & { type: RoleType }): Field
  expose(name: 'createdAt', options: Described & { type: 'DateTimeISO' }): Field
  expose(name: 'removedAt', options: Described & { type: 'DateTimeISO'; nullable: true }): Field
  exposeString(name: 'name', options: Described): Field
  exposeString(name: 'email', options: Described & { nullable: true }): Field
}

export const memberFields = <RoleType, Field>(t: MemberFields<RoleType, Field>, role: RoleType) => ({
  id: t.expose('id', { type: 'UUID', description: 'The id of the member.' }),
  name: t.exposeString('name', { description: 'The name of the person.' }),
  email: t.exposeString('email', { nullable: true, description: 'For people: the service sends no mail.' }),
  role: t.expose('role', { type: role, description: 'What the member may do.' }),
  createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of the invitation.' }),
  removedAt: t.expose('removedAt', {
    type: 'DateTimeISO',
    nullable: true,
    description: 'The time at which the member was removed. Null for a member of the business.',
  }),
})

type LinkFields<MemberType, Field> = {
  expose(name: 'member', options: Described & { type: MemberType }): Field
  expose(name: 'expiresAt', options: Described & { type: 'DateTimeISO' }): Field
  exposeString(name: keyof Pick<ShownLink, 'url'>, options: Described): Field
}

export const linkFields = <MemberType, Field>(t: LinkFields<MemberType, Field>, member: MemberType) => ({
  member: t.expose('member', { type: member, description: 'The member.' }),
  url: t.exposeString('url', {
    description: 'The page at which the member sets up a login, once. Shown here and never again.',
  }),
  expiresAt: t.expose('expiresAt', { type: 'DateTimeISO', description: 'Until when the link works.' }),
})
