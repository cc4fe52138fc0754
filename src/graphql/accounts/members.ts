// The members of the business that asks, and their sessions. docs/dashboard.md.
import type { ListedMember, Login, Member } from '#core/accounts/member.ts'
import { endOf, type Session } from '#core/accounts/session.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import {
  actorOf,
  businessOf,
  provenManagerOf,
  signedInOf,
  uncountedBusinessOf,
  whileDisabled,
} from '#graphql/context.ts'
import { linkFields, loginFields, memberFields, ROLE_VALUES } from '#graphql/member-fields.ts'
import type { ShownLink } from '#services/accounts/members.ts'

export const RoleEnum = builder.enumType('MemberRole', {
  description: 'What a member of a business may do.',
  values: ROLE_VALUES,
})

export const MemberType = builder.objectRef<Member>('Member').implement({
  description: 'A person who can log in for the business.',
  fields: (t) => memberFields(t, RoleEnum),
})

const LoginType = builder.objectRef<Login>('MemberLogin').implement({
  description: 'A passkey or a wallet by which a member logs in.',
  fields: (t) => loginFields(t),
})

const ListedMemberType = builder.objectRef<ListedMember>('ListedMember').implement({
  description: 'A member with the ways to log in.',
  fields: (t) => ({
    ...memberFields(t, RoleEnum),
    logins: t.field({
      type: [LoginType],
      description: 'How the member logs in. Empty for a member who has not used the link yet.',
      resolve: ({ logins }) => [...logins],
    }),
  }),
})

const CreatedLink = builder.objectRef<ShownLink>('CreatedMemberLink').implement({
  description: 'A link by which a member sets up a login.',
  fields: (t) => linkFields(t, MemberType),
})

export const SessionType = builder.objectRef<Session>('MemberSession').implement({
  description: 'A member who is logged in.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the session.' }),
    memberId: t.expose('memberId', { type: 'UUID', description: 'The id of the member.' }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of the login.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTimeISO',
      description: 'The time of the last request, up to a minute old.',
    }),
    provedAt: t.expose('provedAt', {
      type: 'DateTimeISO',
      description: 'When the member last proved to be there, by a passkey or a wallet.',
    }),
    expiresAt: t.field({
      type: 'DateTimeISO',
      description: 'When it ends, if the member sends nothing until then.',
      resolve: (session) => endOf(session),
    }),
    ip: t.exposeString('ip', { description: 'The network address of the login.' }),
    userAgent: t.exposeString('userAgent', { description: 'What the browser calls itself.' }),
  }),
})

// Any string, because a text that is no id gets the one answer that nothing has it.
const MEMBER = { required: true, description: 'The id of the member.' } as const
const VIEWS = 'Needs the permission `members-view`.'
const MANAGES = 'Needs the permission `members-manage`, and a proof of the last five minutes.'

builder.queryFields((t) => ({
  members: t.field({
    type: [ListedMemberType],
    nullable: true,
    description: `The members of the business, the oldest first. ${VIEWS} ${REFUSED}`,
    resolve: async (_root, _args, context) => [
      ...(await context.services.members.list(await businessOf(context, 'members-view'))),
    ],
  }),
  sessions: t.field({
    type: [SessionType],
    nullable: true,
    description: `The sessions of the member who asks, the latest seen first; those of the business with the permission \`members-manage\`. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      const tenant = await businessOf(context)
      return [...(await context.services.sessions.list(tenant, ownMember(context)))]
    },
  }),
}))

/** Returns the member whose sessions alone the caller may see and end; null for those of the business. */
function ownMember(context: Parameters<typeof signedInOf>[0]): string | null {
  const { memberId } = signedInOf(context)
  const { principal } = context
  return principal.kind === 'business' && principal.permissions.has('members-manage') ? null : memberId
}

builder.mutationFields((t) => ({
  inviteMember: t.field({
    type: CreatedLink,
    nullable: true,
    description: `Invites a person, and makes the link by which that person sets up a login. ${MANAGES} ${REFUSED}`,
    args: {
      name: t.arg({ type: 'Line', required: true, description: 'The name of the person.' }),
      email: t.arg.string({ description: 'For people: the service sends no mail.' }),
      role: t.arg({ type: RoleEnum, required: true, description: 'What the member may do.' }),
    },
    resolve: async (_root, { name, email, role }, context) =>
      await context.services.members.invite(await provenManagerOf(context, 'members-manage'), {
        name,
        email: email ?? null,
        role,
      }),
  }),
  createMemberLink: t.field({
    type: CreatedLink,
    nullable: true,
    description: `Makes a new link for a member, who has lost the old one or every login. Older links stop. ${MANAGES} ${REFUSED}`,
    args: { id: t.arg.string(MEMBER) },
    resolve: async (_root, { id }, context) =>
      await context.services.members.addLink(await provenManagerOf(context, 'members-manage'), id),
  }),
  updateMember: t.field({
    type: MemberType,
    nullable: true,
    description: `Changes a member. What is left out stays. ${MANAGES} ${REFUSED}`,
    args: {
      id: t.arg.string(MEMBER),
      name: t.arg({ type: 'Line', description: 'The name of the person. Null leaves it as it is.' }),
      email: t.arg.string({ description: 'Null clears it.' }),
      role: t.arg({ type: RoleEnum, description: 'What the member may do. Null leaves it as it is.' }),
    },
    resolve: async (_root, { id, name, email, role }, context) =>
      await context.services.members.update(await provenManagerOf(context, 'members-manage'), id, {
        ...(typeof name === 'string' && { name }),
        ...(email !== undefined && { email }),
        ...(role && { role }),
      }),
  }),
  removeMember: t.field({
    type: MemberType,
    nullable: true,
    description: `Removes a member, with all logins and sessions. ${MANAGES} ${REFUSED}`,
    args: { id: t.arg.string(MEMBER) },
    resolve: async (_root, { id }, context) =>
      await context.services.members.remove(await provenManagerOf(context, 'members-manage'), id),
  }),
  removeLogin: t.field({
    type: ListedMemberType,
    nullable: true,
    description: `Removes a passkey or a wallet of the member who asks, or of another member. ${MANAGES} The permission is not needed for an own login. ${REFUSED}`,
    args: {
      memberId: t.arg.string(MEMBER),
      id: t.arg.string({ required: true, description: 'The id of the login.' }),
    },
    resolve: async (_root, { memberId, id }, context) => {
      const isOwn = signedInOf(context).memberId === memberId
      const manager = isOwn ? await provenManagerOf(context) : await provenManagerOf(context, 'members-manage')
      return await context.services.members.removeLogin(manager, memberId, id)
    },
  }),
  endSession: t.field({
    type: SessionType,
    nullable: true,
    description: `Ends a session of the member who asks, within seconds; any of the business with the permission \`members-manage\`. ${REFUSED}`,
    args: { id: t.arg.string({ required: true, description: 'The id of the session.' }) },
    resolve: async (_root, { id }, context) => {
      const tenant = await businessOf(whileDisabled(context))
      return await context.services.sessions.end(tenant, id, ownMember(context), actorOf(context))
    },
  }),
  logOut: t.field({
    type: SessionType,
    nullable: true,
    description: `Ends the session of the request, and removes its cookie. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      const { sessionId, memberId } = signedInOf(context)
      const tenant = uncountedBusinessOf(context)
      context.browser?.forget()
      return await context.services.sessions.end(tenant, sessionId, memberId, actorOf(context))
    },
  }),
}))
