// The lists of an intent in full, in pages: a status shows the newest entries only. For the business, by API key.
import { type ResolveCursorConnectionArgs, resolveCursorConnection } from '@pothos/plugin-relay'
import { ServiceError } from '#core/errors.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf, type Context } from '#graphql/context.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import type { IntentRow } from '#graphql/payments/row.ts'
import { HeldMoneyType, LatePaymentStatusEnum, RefundType, TokenRefund } from '#graphql/payments/settlement.ts'
import type { FullLists } from '#services/services.ts'

const DEFAULT_PAGE = 20
const MAX_PAGE = 100

const LatePaymentRecord = builder.objectRef<FullLists['latePayments'][number]>('LatePaymentRecord').implement({
  description: 'One payment that arrived when the intent could no longer take it.',
  fields: (t) => ({
    mint: t.exposeString('mint', { nullable: true, description: 'null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits' }),
    status: t.expose('status', { type: LatePaymentStatusEnum }),
    signature: t.exposeString('signature', { description: "The payment's own transaction." }),
    seenAt: t.expose('seenAt', { type: 'DateTimeISO', description: 'When the service saw it.' }),
    refund: t.expose('refund', { type: RefundType, nullable: true, description: 'null while none is planned.' }),
  }),
})

type Asked = Parameters<typeof resolveCursorConnection>[0]['args']

/** Answers one page of a list, the newest first. Throws `invalid_request` on a cursor whose entry is gone. */
async function pageOf<Name extends keyof FullLists>(
  name: Name,
  { derivationIndex }: Pick<IntentRow, 'derivationIndex'>,
  args: Asked,
  context: Context,
) {
  const tenant = await businessOf(context)
  const lists = await context.services.intents.lists(tenant, derivationIndex)
  const entries: readonly FullLists[Name][number][] = lists[name].toReversed()
  const scope = JSON.stringify([name, tenant.network, tenant.accountId, derivationIndex])
  const place = (cursor: string): number => {
    const key = context.cursors.open(scope, cursor)
    const at = entries.findIndex((entry) => entry.key === key)
    if (at < 0) throw new ServiceError('invalid_request', { field: 'cursor', rule: 'names an entry that is gone' })
    return at
  }
  const page = async ({ after, before, limit, inverted }: ResolveCursorConnectionArgs) => {
    const start = after === undefined ? 0 : place(after) + 1
    const side = entries.slice(start, before === undefined ? undefined : place(before))
    return (inverted ? side.toReversed() : side).slice(0, limit)
  }
  const toCursor = ({ key }: { readonly key: string }) => context.cursors.seal(scope, key)
  return await resolveCursorConnection({ args, defaultSize: DEFAULT_PAGE, maxSize: MAX_PAGE, toCursor }, page)
}

const NEWEST_FIRST = 'The newest first. A page holds 20, at most 100. For the business only.'

builder.prismaObjectFields(PaymentIntentNode, (t) => ({
  latePaymentHistory: t.connection({
    type: LatePaymentRecord,
    description: `Every late payment, one by one. ${NEWEST_FIRST}`,
    resolve: (row, args, context) => pageOf('latePayments', row, args, context),
  }),
  tokenRefundHistory: t.connection({
    type: TokenRefund,
    description: `Every token that was sent by mistake. ${NEWEST_FIRST}`,
    resolve: (row, args, context) => pageOf('tokenRefunds', row, args, context),
  }),
  heldHistory: t.connection({
    type: HeldMoneyType,
    description: `Everything that lies at the address until a person decides. ${NEWEST_FIRST}`,
    resolve: (row, args, context) => pageOf('held', row, args, context),
  }),
}))
