// The lists of an intent in full, in pages: a status shows the newest entries only. For the business, by API key.
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { FullLists } from '#core/payments/returns/return-lists.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf, type Context } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { countsAs, FIELDS_PER_POINT } from '#graphql/documents/cost.ts'
import { connectionNames, connectionOf, PAGE_SIZES, type PageArguments, requirePage } from '#graphql/page.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { HeldMoneyType, LatePaymentStatusEnum, RefundType, TokenRefund } from '#graphql/payments/settlement.ts'

const LatePaymentRecord = builder.objectRef<FullLists['latePayments'][number]>('LatePaymentRecord').implement({
  description: 'Money that arrived after the payment was closed, by one transaction.',
  fields: (t) => ({
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: 'The mint of the token. Null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount that arrived, in base units.' }),
    status: t.expose('status', { type: LatePaymentStatusEnum, description: 'What became of it.' }),
    signature: t.expose('signature', { type: 'Signature', description: 'The transaction that brought it.' }),
    seenAt: t.expose('seenAt', { type: 'DateTimeISO', description: 'The time at which the service saw it first.' }),
    refund: t.expose('refund', {
      type: RefundType,
      nullable: true,
      description: 'Its refund. Null while none is planned.',
    }),
  }),
})

/** Answers one page of a list, the newest first. Throws `invalid_request` on a cursor whose entry is gone. */
async function pageOf<Name extends keyof FullLists>(
  name: Name,
  { derivationIndex }: Pick<PaymentIntent, 'derivationIndex'>,
  args: PageArguments,
  context: Context,
) {
  requirePage(args)
  // Who was shown the payment is shown its parts: a key with `marketplace-view` alone as well.
  const tenant = await businessOf(context)
  const lists = await context.services.intents.lists(tenant, derivationIndex)
  const entries: readonly FullLists[Name][number][] = lists[name].toReversed()
  const scope = JSON.stringify([name, tenant.network, tenant.accountId, derivationIndex])
  const place = (field: 'after' | 'before', cursor: string): number => {
    const key = openCursor(context.cursors, { scope, field, cursor })
    const at = entries.findIndex((entry) => entry.key === key)
    if (at < 0) throw new ServiceError('invalid_request', { field, rule: 'names an entry that no longer exists' })
    return at
  }
  const toCursor = ({ key }: { readonly key: string }) => context.cursors.seal(scope, key)
  return await connectionOf(args, toCursor, ({ after, before, limit, inverted }) => {
    const start = after === undefined ? 0 : place('after', after) + 1
    const side = entries.slice(start, before === undefined ? undefined : place('before', before))
    return (inverted ? side.toReversed() : side).slice(0, limit)
  })
}

/**
 * Every page is computed from all deposits of the payment, and anyone can add deposits. So a page costs a point of its own,
 * which makes its operation heavy.
 */
const COST = countsAs(FIELDS_PER_POINT)

builder.prismaObjectFields(PaymentIntentNode, (t) => ({
  latePaymentHistory: t.connection(
    {
      type: LatePaymentRecord,
      description: `All late payments, one by one, the newest first. ${PAGE_SIZES}`,
      extensions: COST,
      resolve: (row, args, context) => pageOf('latePayments', row, args, context),
    },
    ...connectionNames('LatePaymentRecord'),
  ),
  tokenRefundHistory: t.connection(
    {
      type: TokenRefund,
      description: `All refunds of assets that were sent by mistake, the newest first. ${PAGE_SIZES}`,
      extensions: COST,
      resolve: (row, args, context) => pageOf('tokenRefunds', row, args, context),
    },
    ...connectionNames('TokenRefund'),
  ),
  heldHistory: t.connection(
    {
      type: HeldMoneyType,
      description: `All money that stays at the address until the operator releases it, the newest first. ${PAGE_SIZES}`,
      extensions: COST,
      resolve: (row, args, context) => pageOf('held', row, args, context),
    },
    ...connectionNames('HeldMoney'),
  ),
}))
