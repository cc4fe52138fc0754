// Coupons of a business: the type, its list, and its operations. docs/billing.md, "Coupons".
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { couponCodeOf, couponStatus, isCouponCode } from '#core/billing/coupon.ts'
import { builder, nodeKey, REFUSED } from '#graphql/builder.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { CatalogueStatusEnum, idOf } from './catalogue.ts'
import { newestFirst } from './list.ts'
import { guardBillingNode, merchantOf, ON_BEHALF_OF } from './merchant.ts'

guardBillingNode('SubscriptionCoupon')

const SubscriptionCouponNode = builder.prismaNode('SubscriptionCoupon', {
  description: 'A coupon for subscriptions. Its terms never change: archive it and create another one.',
  id: { field: 'id', description: 'The global id of the coupon, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the coupon, as REST shows it.' }),
    code: t.exposeString('code', {
      description: 'What subscribers enter, in capital letters. They write it in any case.',
    }),
    percentOff: t.exposeInt('percentOff', {
      nullable: true,
      description: 'What it takes off the price of a period, in percent. Null for an amount.',
    }),
    amountOffUsdCents: t.expose('amountOffUsdCents', {
      type: 'UsdCents',
      nullable: true,
      description: 'What it takes off the price of a period. Null for a percentage.',
    }),
    minPriceUsdCents: t.expose('minPriceUsdCents', {
      type: 'UsdCents',
      description: 'The lowest price of a period with it: the lowest of the platform when the coupon was created.',
    }),
    periods: t.exposeInt('periods', {
      nullable: true,
      description: 'How many charges have the discount, from the first one. Null for all.',
    }),
    maxUses: t.exposeInt('maxUses', {
      nullable: true,
      description: 'How many checkouts can use it. Null without a limit.',
    }),
    maxUsesPerWallet: t.exposeInt('maxUsesPerWallet', {
      nullable: true,
      description: 'How many checkouts of one wallet can use it. Null without a limit.',
    }),
    uses: t.int({
      description: 'The checkouts that use it: completed ones, and open ones with a transaction that may still land.',
      resolve: (coupon) => (typeof coupon.uses === 'number' ? coupon.uses : coupon.uses()),
    }),
    endsAt: t.expose('endsAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'From this time no checkout can use it. Null without an end.',
    }),
    productId: t.expose('productId', {
      type: 'UUID',
      nullable: true,
      description: 'The `uuid` of the product that it is for. Null for all products.',
    }),
    status: t.field({
      type: CatalogueStatusEnum,
      description: 'Whether checkouts can use it. A subscription that has it keeps it.',
      resolve: (coupon) => couponStatus(coupon),
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was archived. Null while it is active.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
  }),
})

const SubscriptionCouponFilter = builder.inputType('SubscriptionCouponFilter', {
  description: 'Which coupons to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: CatalogueStatusEnum, description: 'With this status. Both when left out.' }),
    code: t.string({ description: 'With this code, in any case.' }),
  }),
})

builder.queryField('subscriptionCoupons', (t) =>
  t.connection(
    {
      type: SubscriptionCouponNode,
      nullable: true,
      description: `The coupons of the business, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        filter: t.arg({ type: SubscriptionCouponFilter, description: 'Which coupons to list. All when left out.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { filter, onBehalfOf, ...args }, context) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const where = matching(filter ?? {})
        return await newestFirst(
          context,
          merchant,
          { name: 'subscriptionCoupons', filter: where, args },
          ({ sides, ...page }) =>
            context.reads(merchant.tenant).subscriptionCoupon.findMany({ ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('SubscriptionCoupon'),
  ),
)

const matching = ({
  status,
  code,
}: typeof SubscriptionCouponFilter.$inferInput): Prisma.SubscriptionCouponWhereInput => ({
  ...(status === 'active' && { archivedAt: null }),
  ...(status === 'archived' && { archivedAt: { not: null } }),
  ...(code != null && { code: searchedCode(code) }),
})

/** A text that is no code is not looked for: no coupon has the empty one. */
function searchedCode(given: string): string {
  const code = couponCodeOf(given)
  return isCouponCode(code) ? code : ''
}

const ID = idOf('coupon')

const CreateSubscriptionCouponInput = builder.inputType('CreateSubscriptionCouponInput', {
  description: 'A coupon to create. It has either `percentOff` or `amountOffUsdCents`.',
  fields: (t) => ({
    code: t.string({
      required: true,
      description: 'What subscribers enter: 3 to 32 letters, digits, `-` and `_`, in any case.',
    }),
    percentOff: t.int({ description: 'What it takes off the price of a period, in percent: 1 to 99.' }),
    amountOffUsdCents: t.field({ type: 'UsdCents', description: 'What it takes off the price of a period.' }),
    periods: t.int({ description: 'How many charges have the discount, from the first one. All when left out.' }),
    maxUses: t.int({ description: 'How many checkouts can use it, at most 100,000. No limit when left out.' }),
    maxUsesPerWallet: t.int({ description: 'How many checkouts of one wallet can use it. No limit when left out.' }),
    endsAt: t.field({
      type: 'DateTimeISO',
      description: 'From this time no checkout can use it. Never when left out.',
    }),
    productId: t.string({ description: 'The `uuid` of the product that it is for. All products when left out.' }),
  }),
})

builder.queryField('subscriptionCoupon', (t) =>
  t.field({
    type: SubscriptionCouponNode,
    nullable: true,
    description: `Finds a coupon of the business by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.catalogue.findCoupon(merchant, id)
    },
  }),
)

builder.mutationFields((t) => ({
  createSubscriptionCoupon: t.field({
    type: SubscriptionCouponNode,
    nullable: true,
    description: `Creates a coupon. ${REFUSED}`,
    args: {
      input: t.arg({ type: CreateSubscriptionCouponInput, required: true, description: 'The coupon to create.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const { input, onBehalfOf } = args
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      const { catalogue } = context.services
      const coupon = {
        code: input.code,
        percentOff: input.percentOff ?? null,
        amountOffUsdCents: input.amountOffUsdCents ?? null,
        periods: input.periods ?? null,
        maxUses: input.maxUses ?? null,
        maxUsesPerWallet: input.maxUsesPerWallet ?? null,
        endsAt: input.endsAt ?? null,
        productId: input.productId ?? null,
      }
      return await once(context, merchant.tenant, info, args, {
        create: (id) => catalogue.createCoupon(merchant, coupon, id),
        find: (id) => catalogue.findCoupon(merchant, id),
      })
    },
  }),
  archiveSubscriptionCoupon: t.field({
    type: SubscriptionCouponNode,
    nullable: true,
    description: `Archives a coupon: no other checkout can use it, and subscriptions keep it. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.archiveCoupon(merchant, id)
    },
  }),
}))
