// Members of businesses: the operator invites the first owner, and each member who has lost every login.
import type { ListedMember, Login, Member } from '#core/accounts/member.ts'
import { linkFields, loginFields, memberFields, ROLE_VALUES } from '#graphql/member-fields.ts'
import { actorOf, builder } from '#graphql/operator/builder.ts'
import type { ShownLink } from '#services/accounts/members.ts'

const RoleEnum = builder.enumType('MemberRole', {
  description: 'What a member of a business may do.',
  values: ROLE_VALUES,
})

const MemberType = builder.objectRef<Member>('Member').implement({
  description: 'A person who can log in for a business.',
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

const ACCOUNT = { type: 'UUID', required: true, description: 'The id of the account.' } as const
const MEMBER = { type: 'UUID', required: true, description: 'The id of the member.' } as const

builder.queryField('accountMembers', (t) =>
  t.field({
    type: [ListedMemberType],
    description: 'The members of a business, the oldest first.',
    args: { accountId: t.arg(ACCOUNT) },
    resolve: async (_root, { accountId }, context) => {
      const { keys, members } = context.services
      const { tenant } = await keys.operatorOf(accountId, actorOf(context))
      return [...(await members.list(tenant))]
    },
  }),
)

builder.mutationFields((t) => ({
  inviteAccountMember: t.field({
    type: CreatedLink,
    description: 'Invites a person to a business, and makes the link by which that person sets up a login.',
    args: {
      accountId: t.arg(ACCOUNT),
      name: t.arg({ type: 'Line', required: true, description: 'The name of the person.' }),
      email: t.arg({ type: 'Text', description: 'For people: the service sends no mail.' }),
      role: t.arg({ type: RoleEnum, required: true, description: 'What the member may do.' }),
    },
    resolve: async (_root, { accountId, name, email, role }, context) => {
      const { keys, members } = context.services
      return await members.invite(await keys.operatorOf(accountId, actorOf(context)), {
        name,
        email: email ?? null,
        role,
      })
    },
  }),
  createAccountMemberLink: t.field({
    type: CreatedLink,
    description: 'Makes a new link for a member, who has lost the old one or every login. Older links stop.',
    args: { id: t.arg(MEMBER) },
    resolve: async (_root, { id }, context) => {
      const { members } = context.services
      return await members.addLink(await members.operatorOfMember(id, actorOf(context)), id)
    },
  }),
  removeAccountMember: t.field({
    type: MemberType,
    description: 'Removes a member, with all logins and sessions. It can be the last owner.',
    args: { id: t.arg(MEMBER) },
    resolve: async (_root, { id }, context) => {
      const { members } = context.services
      return await members.remove(await members.operatorOfMember(id, actorOf(context)), id)
    },
  }),
}))
