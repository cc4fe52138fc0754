import { type Command, Option } from 'commander'
import { KEY_PERMISSIONS, KEY_SCOPES, usualScopesAs } from '#core/accounts/permissions.ts'
import { idOf } from '#operator/arguments.ts'
import {
  CreateKeyDocument,
  type KeyFieldsFragment,
  ListKeysDocument,
  RevokeKeyDocument,
} from '#operator/documents.generated.ts'
import { shownOnce, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

export function addKeyCommands(program: Command, { ask, show }: Shell): void {
  const key = program.command('key').description('API keys')

  key
    .command('create')
    .argument('<account>', 'its id', idOf('ACCOUNT'))
    .description('make a key for an account; prints it, once')
    .addOption(
      new Option(
        '--scopes <scopes...>',
        `what it may be used for; when left out, ${usualScopesAs(({ name }) => name)}`,
      ).choices(KEY_SCOPES),
    )
    .option('--name <name>', 'what it is for')
    .action(
      async (
        accountId: string,
        { scopes: chosen, name = null }: { scopes?: readonly string[]; name?: string | null },
      ) => {
        const scopes =
          chosen === undefined
            ? null
            : KEY_PERMISSIONS.filter((each) => chosen.includes(each.name)).map(({ enumName }) => enumName)
        const { key, apiKey } = (await ask(CreateKeyDocument, { accountId, name, scopes })).createAccountKey
        show({ key: wire(key), apiKey }, () => `Made key ${key.id}\n${shownOnce([['API key', apiKey]])}`)
      },
    )

  key
    .command('list')
    .argument('<account>', 'its id', idOf('ACCOUNT'))
    .description('the keys of an account, by their last four characters')
    .action(async (accountId: string) => {
      const { keys } = await ask(ListKeysDocument, { accountId })
      show({ keys: keys.map(wire) }, () =>
        table(
          ['id', 'name', 'ends in', 'scopes', 'made', 'by', 'last used', 'revoked'],
          keys
            .map(wire)
            .map((one) => [
              one.id,
              one.name,
              one.hint,
              one.scopes.join(' '),
              one.createdAt,
              one.createdBy,
              one.lastUsedAt,
              one.revokedAt,
            ]),
          'No key: key create ACCOUNT makes one.',
        ),
      )
    })

  key
    .command('revoke')
    .argument('<key>', 'its id', idOf('KEY'))
    .description('stop a key, permanently and within seconds')
    .action(async (id: string) => {
      const { revokeAccountKey } = await ask(RevokeKeyDocument, { id })
      show(
        { key: wire(revokeAccountKey) },
        () => `Revoked key ${revokeAccountKey.id}, which ends in ${revokeAccountKey.hint}.`,
      )
    })
}

/** GraphQL's names have no hyphens; those of scopes do. */
const wire = (key: KeyFieldsFragment) => ({ ...key, scopes: key.scopes.map((scope) => scope.replaceAll('_', '-')) })
