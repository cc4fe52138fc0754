// Facts of the platform, for anybody. Spec: GET /config.
import { builder } from '#graphql/builder.ts'
import { countPublic } from '#graphql/context.ts'
import type { PlatformFacts } from '#services/services.ts'

const ConfigType = builder.objectRef<PlatformFacts>('Config').implement({
  fields: (t) => ({
    network: t.exposeString('network'),
    checkoutWindowSeconds: t.exposeInt('checkoutWindowSeconds'),
    networkFeeLamports: t.expose('networkFeeLamports', { type: 'BaseUnits' }),
    platformFeeBps: t.exposeInt('platformFeeBps'),
    maxMarketplaceFeeBps: t.exposeInt('maxMarketplaceFeeBps'),
    webhookEventTypes: t.stringList({ resolve: (facts) => [...facts.webhookEventTypes] }),
    apiVersion: t.exposeString('apiVersion'),
    subscriptions: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Limits of recurring billing; null while it is disabled.',
      resolve: () => null,
    }),
  }),
})

builder.queryField('config', (t) =>
  t.field({
    type: ConfigType,
    resolve: async (_root, _args, context) => {
      await countPublic(context)
      return context.services.platform.facts()
    },
  }),
)
