import { type Command, Option } from 'commander'
import { ROLES, type Role } from '#core/accounts/permissions.ts'
import { idOf } from '#operator/arguments.ts'
import {
  InviteMemberDocument,
  LinkMemberDocument,
  ListMembersDocument,
  RemoveMemberDocument,
} from '#operator/documents.generated.ts'
import { shownOnce, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

type InviteOptions = { name: string; role: Role; email?: string }

export function addMemberCommands(program: Command, { ask, show }: Shell): void {
  const member = program.command('member').description('people who log in for a business')

  member
    .command('invite')
    .argument('<account>', 'its id', idOf('ACCOUNT'))
    .description('invite a person; prints the link, once, which works for 24 hours')
    .requiredOption('--name <name>', 'of the person')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
    .option('--email <email>', 'for people: no mail is sent')
    .action(async (accountId: string, { name, role, email }: InviteOptions) => {
      const variables = { accountId, name, role, email: email ?? null }
      const { member, url, expiresAt } = (await ask(InviteMemberDocument, variables)).inviteAccountMember
      show({ member, url, expiresAt }, () => `Invited ${member.name}, ${member.id}\n${shownOnce([['Link', url]])}`)
    })

  member
    .command('link')
    .argument('<member>', 'its id', idOf('MEMBER'))
    .description('make a new link for a member who cannot log in; older links stop')
    .action(async (id: string) => {
      const { member, url, expiresAt } = (await ask(LinkMemberDocument, { id })).createAccountMemberLink
      show({ member, url, expiresAt }, () => `Made a link for ${member.name}\n${shownOnce([['Link', url]])}`)
    })

  member
    .command('list')
    .argument('<account>', 'its id', idOf('ACCOUNT'))
    .description('the members of a business, and how they log in')
    .action(async (accountId: string) => {
      const { members } = await ask(ListMembersDocument, { accountId })
      show({ members }, () =>
        table(
          ['id', 'name', 'email', 'role', 'logs in with', 'invited'],
          members.map((one) => [
            one.id,
            one.name,
            one.email,
            one.role,
            one.logins.map(({ wallet, name }) => wallet ?? name).join(' '),
            one.createdAt,
          ]),
          'No member: member invite ACCOUNT invites one.',
        ),
      )
    })

  member
    .command('remove')
    .argument('<member>', 'its id', idOf('MEMBER'))
    .description('remove a member, with all logins and sessions')
    .action(async (id: string) => {
      const { removeAccountMember: removed } = await ask(RemoveMemberDocument, { id })
      show({ member: removed }, () => `Removed ${removed.name}, ${removed.id}`)
    })
}
