// The refunds of a business: the list, one by its id, and what the business does with them.
import { queryFromInfo } from '@pothos/plugin-prisma'
import { ServiceError } from '#core/errors.ts'
import type { Refund } from '#core/refunds/refund.ts'
import { REFUND_LIFE_MS } from '#core/refunds/refund.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { actorOf, businessOf } from '#graphql/context.ts'
import { newestFirst } from '#graphql/newest-first.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { REFERENCE, requireRange } from '#graphql/payments/payment-page.ts'
import type { CreatedRefund } from '#services/refunds/refunds.ts'
import { isUuid } from '#services/requests.ts'
import { BusinessRefundNode, BusinessRefundStatusEnum, BusinessRefundTransaction, RefundTermsType } from './refund.ts'

const BusinessRefundFilter = builder.inputType('BusinessRefundFilter', {
  description: 'Which refunds to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: [BusinessRefundStatusEnum], description: 'Any of these statuses.' }),
    paymentId: t.string({ description: 'Those of the payment with this `uuid`.' }),
    chargeId: t.string({ description: 'Those of the charge with this `uuid`.' }),
    reference: t.field(REFERENCE),
    from: t.field({ type: 'DateTimeISO', description: 'Created at this time or later.' }),
    to: t.field({ type: 'DateTimeISO', description: 'Created before this time.' }),
  }),
})

builder.queryField('refunds', (t) =>
  t.connection(
    {
      type: BusinessRefundNode,
      nullable: true,
      description: `The refunds that the business makes, and those of its sellers, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: BusinessRefundFilter, description: 'Which refunds to list. All when left out.' }) },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const tenant = await businessOf(context, 'payments-view')
        const { status, paymentId, chargeId, reference, from, to } = filter ?? {}
        requireRange(from, to)
        if (typeof paymentId === 'string' && !isUuid(paymentId)) throw new ServiceError('intent_not_found')
        if (typeof chargeId === 'string' && !isUuid(chargeId)) throw new ServiceError('charge_not_found')
        const where = {
          callerAccountId: tenant.accountId,
          ...(status && { status: { in: status } }),
          ...(typeof paymentId === 'string' && { intentId: paymentId }),
          ...(typeof chargeId === 'string' && { chargeId }),
          ...(typeof reference === 'string' && { reference }),
          createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
        }
        const query = await queryFromInfo({ context, info, typeName: 'BusinessRefund', path: ['edges', 'node'] })
        return await newestFirst(
          context,
          tenant,
          { name: 'refunds', filter: filter ?? {}, args },
          ({ sides, ...page }) =>
            context.reads(tenant).refund.findMany({ ...query, ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('BusinessRefund'),
  ),
)

// Any string, because a text that is no id gets the answer of an id that no refund has.
const ID = { required: true, description: 'The `uuid` of the refund.' } as const

builder.queryFields((t) => ({
  refund: t.field({
    type: BusinessRefundNode,
    nullable: true,
    description: `Finds a refund of the business by its id, and has the chain read soon. ${REFUSED}`,
    args: { id: t.arg.string(ID) },
    resolve: async (_root, { id }, context) =>
      await context.services.refunds.find(await businessOf(context, 'payments-view'), id),
  }),
  refundTerms: t.field({
    type: RefundTermsType,
    nullable: true,
    description: `What a refund of a payment or of a charge, one of the two, would be now. ${REFUSED}`,
    args: {
      paymentId: t.arg.string({ description: 'The `uuid` of a payment that has settled.' }),
      chargeId: t.arg.string({ description: 'The `uuid` of a charge that has succeeded.' }),
    },
    resolve: async (_root, { paymentId, chargeId }, context) =>
      await context.services.refunds.terms(await businessOf(context, 'payments-view'), {
        paymentId: paymentId ?? null,
        chargeId: chargeId ?? null,
      }),
  }),
  refundTransaction: t.field({
    type: BusinessRefundTransaction,
    nullable: true,
    description: `Makes the transaction that pays what is unpaid of a refund. ${REFUSED}`,
    args: { id: t.arg.string(ID) },
    resolve: async (_root, { id }, context) => {
      const { refunds } = context.services
      return await refunds.transactionOf(await refunds.find(await businessOf(context, 'payments-view'), id))
    },
  }),
}))

const HOURS = REFUND_LIFE_MS / 3_600_000

const CreateRefundInput = builder.inputType('CreateRefundInput', {
  description:
    'A refund to create: of a payment or of a charge, one of the two. Without an amount it is of everything that can still go back.',
  fields: (t) => ({
    paymentId: t.string({ description: 'The `uuid` of a payment that has settled.' }),
    chargeId: t.string({ description: 'The `uuid` of a charge that has succeeded.' }),
    amount: t.field({ type: 'BaseUnits', description: 'What goes back, in base units of the asset that settled.' }),
    amountUsdCents: t.field({
      type: 'UsdCents',
      description: 'What goes back, in US cents at the locked rate. The whole price gives what settled, at most.',
    }),
    to: t.field({
      type: 'SolanaAddress',
      description: 'The wallet that gets the money, not a token account. The wallet that paid when left out.',
    }),
    reason: t.field({ type: 'FormText', description: 'Why it is made, for people.' }),
    reference: t.field({
      type: 'Text',
      description: 'The idempotency key. A repeat returns the stored refund and ignores the other fields.',
    }),
    reverseFee: t.boolean({
      description:
        'Whether the marketplace gives its part, as a refund from its fee wallet. Only of a payment for a seller.',
    }),
  }),
})

const CreatedRefundType = builder.objectRef<CreatedRefund>('CreatedRefund').implement({
  description: 'A refund after its creation.',
  fields: (t) => ({
    refund: t.expose('refund', { type: BusinessRefundNode, description: 'The refund.' }),
    transaction: t.field({
      type: BusinessRefundTransaction,
      description: 'The transaction that pays it.',
      resolve: async ({ refund }, _args, { services }) => await services.refunds.transactionOf(refund),
    }),
    marketplacePart: t.field({
      type: BusinessRefundNode,
      nullable: true,
      description: 'The refund by which the marketplace gives its part. Null where it gives none.',
      resolve: async ({ refund }, _args, context): Promise<Refund | null> => {
        if (!refund.reverseFee) return null
        const tenant = await businessOf(context, 'payments-view')
        const where = { intentId: refund.intentId, partOf: refund.id }
        const [part = null] = await context.reads(tenant).refund.findMany({ where, take: 1 })
        return part
      },
    }),
    created: t.exposeBoolean('created', { description: 'False when the reference existed already.' }),
  }),
})

builder.mutationFields((t) => ({
  createRefund: t.field({
    type: CreatedRefundType,
    nullable: true,
    description: `Creates a refund, which the wallet of the business pays within ${HOURS} hours. ${REFUSED}`,
    args: {
      input: t.arg({ type: CreateRefundInput, required: true, description: 'The refund to create.' }),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const caller = await businessOf(context, 'payments')
      const { refunds } = context.services
      const { input } = args
      const of = { paymentId: input.paymentId ?? null, chargeId: input.chargeId ?? null }
      const asked = {
        amount: input.amount ?? null,
        amountUsdCents: input.amountUsdCents ?? null,
        to: input.to ?? null,
        reason: input.reason ?? null,
        reference: input.reference ?? null,
        reverseFee: input.reverseFee ?? false,
      }
      return await once(context, caller, info, args, {
        create: (id) => refunds.create({ tenant: caller, actor: actorOf(context) }, of, asked, id),
        find: async (id) => ({ refund: await refunds.find(caller, id), created: true }),
      })
    },
  }),
  cancelRefund: t.field({
    type: BusinessRefundNode,
    nullable: true,
    description: `Cancels a refund that was not paid. It still takes what lands until its end, about three minutes later. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID) },
    resolve: async (_root, { id }, context) => {
      const tenant = await businessOf(context, 'payments')
      return await context.services.refunds.cancel({ tenant, actor: actorOf(context) }, id)
    },
  }),
}))
