import { type Command, Option } from 'commander'
import { KEY_SCOPES, type KeyScope as Scope } from '#core/accounts/account.ts'
import { idOf } from '#operator/arguments.ts'
import {
  CreateKeyDocument,
  type KeyFieldsFragment,
  type KeyScope,
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
      new Option('--scopes <scopes...>', 'what it may be used for; everything when left out').choices(KEY_SCOPES),
    )
    .action(async (accountId: string, { scopes: chosen }: { scopes?: readonly string[] }) => {
      const scopes =
        chosen === undefined ? null : KEY_SCOPES.filter((each) => chosen.includes(each)).map((each) => ENUM_NAMES[each])
      const { key, apiKey } = (await ask(CreateKeyDocument, { accountId, scopes })).createApiKey
      show({ key: wire(key), apiKey }, () => `Made key ${key.id}\n${shownOnce([['API key', apiKey]])}`)
    })

  key
    .command('list')
    .argument('<account>', 'its id', idOf('ACCOUNT'))
    .description('the keys of an account, by their last four characters')
    .action(async (accountId: string) => {
      const { keys } = await ask(ListKeysDocument, { accountId })
      show({ keys: keys.map(wire) }, () =>
        table(
          ['id', 'ends in', 'scopes', 'made', 'revoked'],
          keys.map(wire).map((one) => [one.id, one.hint, one.scopes.join(' '), one.createdAt, one.revokedAt]),
          'No key: key create ACCOUNT makes one.',
        ),
      )
    })

  key
    .command('revoke')
    .argument('<key>', 'its id', idOf('KEY'))
    .description('stop a key, permanently and within seconds')
    .action(async (id: string) => {
      const { revokeApiKey } = await ask(RevokeKeyDocument, { id })
      show({ key: wire(revokeApiKey) }, () => `Revoked key ${revokeApiKey.id}, which ends in ${revokeApiKey.hint}.`)
    })
}

/** GraphQL's names have no hyphens; those of scopes do. */
const wire = (key: KeyFieldsFragment) => ({ ...key, scopes: key.scopes.map((scope) => scope.replaceAll('_', '-')) })

const ENUM_NAMES: Readonly<Record<Scope, KeyScope>> = {
  payments: 'payments',
  'marketplace-view': 'marketplace_view',
  'marketplace-manage': 'marketplace_manage',
  'subscriptions-view': 'subscriptions_view',
  'subscriptions-manage': 'subscriptions_manage',
  'webhooks-manage': 'webhooks_manage',
}
