// The operator's own log, and the mutations that it has.
import { type GraphQLSchema, isObjectType } from 'graphql'
import type { OperatorLogEntry } from '#core/platform/operator-log.ts'
import { builder, limitOf, type OperatorContext } from '#graphql/operator/builder.ts'

const OperatorLogEntryType = builder.objectRef<OperatorLogEntry>('OperatorLogEntry').implement({
  description: 'A change that was asked for with the token of the operator.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the entry.' }),
    action: t.exposeString('action', { description: 'The mutation, or the method and path of another request.' }),
    given: t.exposeString('given', {
      description:
        'The arguments as JSON. An image is its number of bytes, and what is too long its number of characters.',
    }),
    ip: t.exposeString('ip', { description: 'The network address of the request.' }),
    startedAt: t.expose('startedAt', { type: 'DateTimeISO', description: 'When it was asked for.' }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: '`done`, or the code of the refusal. Null while it is under way, and after the service died in it.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'When it was made or refused. Null as `outcome` is.',
    }),
  }),
})

builder.queryField('operatorLog', (t) =>
  t.field({
    type: [OperatorLogEntryType],
    description: 'What was changed with the token of the operator, and what was refused, the newest entry first.',
    args: {
      limit: t.arg.int({ description: 'How many entries, 1 to 100. 20 when left out.' }),
      before: t.arg({ type: 'UUID', description: 'Only entries before the one with this id.' }),
      logins: t.arg.boolean({
        defaultValue: true,
        description: 'Whether logins and logouts of browsers are among them.',
      }),
    },
    resolve: async (_root, { limit, before, logins }, context) => [
      ...(await context.services.operatorLog.list(limitOf(limit), before ?? null, { withLogins: logins ?? true })),
    ],
  }),
)

/** Makes every mutation of the schema write its entry, so that none can forget it. */
export function logMutations(schema: GraphQLSchema): GraphQLSchema {
  const mutations = schema.getMutationType()
  if (!isObjectType(mutations)) return schema
  for (const [action, field] of Object.entries(mutations.getFields())) {
    const { resolve } = field
    if (resolve === undefined) throw new Error(`the mutation ${action} does nothing`)
    field.resolve = (root, given: object, context: OperatorContext, info) =>
      context.services.operatorLog.logged({ action, given, ip: context.address }, async () =>
        resolve(root, given, context, info),
      )
  }
  return schema
}
