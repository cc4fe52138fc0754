// The requests of a business with its API keys: the newest first, in pages.
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { businessOf } from '#graphql/context.ts'
import { newestFirst } from '#graphql/newest-first.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'

const ApiRequestType = builder.objectRef<ApiRequest & { readonly id: string }>('ApiRequest').implement({
  description: 'A request with an API key of the business. Nothing is kept of what it said.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the entry.' }),
    keyHint: t.exposeString('keyHint', { description: 'The last characters of the key.' }),
    method: t.exposeString('method', { description: 'The method of HTTP.' }),
    route: t.exposeString('route', {
      description: 'The route, without the values of its parameters and of its query.',
    }),
    status: t.exposeInt('status', {
      description: 'The status of HTTP. 499 is a connection that closed before its answer was whole.',
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'The code of the refusal. Null without one.',
    }),
    requestId: t.exposeString('requestId', { description: 'The id of the request, as `x-request-id` had it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of the answer.' }),
  }),
})

const ApiRequestFilter = builder.inputType('ApiRequestFilter', {
  description: 'Which requests to list: those that match every field that is given.',
  fields: (t) => ({
    isRefused: t.boolean({ description: 'True finds what was refused or failed, and false what was done.' }),
  }),
})

builder.queryField('apiRequests', (t) =>
  t.connection(
    {
      type: ApiRequestType,
      nullable: true,
      description:
        'The requests over HTTP with the API keys of the business, the newest first, kept for 7 days. They appear within seconds, and ' +
        `a flood of them only in part. Operations over a websocket are not listed. Needs the permission \`keys-manage\`. ${REFUSED} ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: ApiRequestFilter, description: 'Which requests to list. All when left out.' }) },
      resolve: async (_root, { filter, ...args }, context) => {
        const tenant = await businessOf(context, 'keys-manage')
        const isRefused = filter?.isRefused ?? null
        const where = isRefused === null ? {} : { errorCode: isRefused ? { not: null } : null }
        const list = { name: 'apiRequests', filter: { isRefused }, args }
        return await newestFirst(context, tenant, list, ({ sides, ...page }) =>
          context.reads(tenant).apiRequest.findMany({ ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('ApiRequest'),
  ),
)
