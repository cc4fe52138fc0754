// Mistakes at the edges: prices, webhooks, tenants, secrets, signatures.
import { tenantOf } from '#core/accounts/account.ts'
import { makeBaseUnits, makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import type { NewIntent, PaymentIntent } from '#core/payments/payment-intent.ts'
import { replaced, type WorldPorts } from '../ports.ts'
import type { Plant } from './plant.ts'

/** Alters a payment before it is stored for the first time. */
const created =
  (alter: (intent: NewIntent) => NewIntent) =>
  (ports: WorldPorts): WorldPorts => ({
    ...ports,
    intents: replaced(ports.intents, { create: (tenant, intent) => ports.intents.create(tenant, alter(intent)) }),
  })

export const EDGE_PLANTS: readonly Plant[] = [
  {
    name: 'one-price-is-enough',
    mistake: 'The first price feed is used, however old and however far from the other.',
    above: (ports) => ({
      ...ports,
      prices: replaced(ports.prices, {
        async priceOf(asset) {
          const [first] = ports.feeds
          const prices = await first?.fetchPrices([asset], new AbortController().signal)
          const price = prices?.get(asset.mint)
          if (price === undefined) throw new Error('no price')
          return price
        },
      }),
    }),
  },
  {
    name: 'price-rounded-down',
    mistake: 'A conversion loses three percent by wrong rounding.',
    above: (ports) => ({
      ...ports,
      work: replaced(ports.work, {
        apply(change) {
          const { selection } = change.after
          if (selection === null || selection === change.before.selection) return ports.work.apply(change)
          const expected = makeBaseUnits((selection.expected * 96n) / 100n)
          return ports.work.apply({ ...change, after: { ...change.after, selection: { ...selection, expected } } })
        },
      }),
    }),
  },
  {
    name: 'tolerance-not-frozen',
    mistake: 'A payment has another tolerance than its business had when it was created.',
    below: created((intent) => ({ ...intent, underpaymentToleranceBps: makeBasisPoints(300) })),
  },
  {
    name: 'tolerance-too-wide',
    mistake: 'A payment that is short by ten percent counts as paid.',
    above: (ports) => {
      const real = new Map<string, PaymentIntent['underpaymentToleranceBps']>()
      const shown = (intent: PaymentIntent) => ({ ...intent, underpaymentToleranceBps: real.get(intent.id) ?? null })
      return {
        ...ports,
        work: replaced(ports.work, {
          async facts(id) {
            const facts = await ports.work.facts(id)
            if (facts === null) return null
            real.set(id, facts.intent.underpaymentToleranceBps)
            return { ...facts, intent: { ...facts.intent, underpaymentToleranceBps: makeBasisPoints(1_000) } }
          },
          apply: (change) =>
            ports.work.apply({
              ...change,
              after: shown(change.after),
              events: change.events.map((event) => ({ ...event, intent: shown(event.intent) })),
            }),
        }),
      }
    },
  },
  {
    name: 'webhook-taken-for-sent',
    mistake: 'A refusal of the receiver counts as a success.',
    above: (ports) => ({
      ...ports,
      sender: {
        async send(request) {
          await ports.sender.send(request)
          return { kind: 'answered', statusCode: 200, headers: {}, body: '' }
        },
      },
    }),
  },
  {
    name: 'tenant-forgotten',
    mistake: 'A payment is found by its index alone, without the tenant.',
    below: (ports) => ({
      ...ports,
      intents: replaced(ports.intents, {
        async findByIndex(tenant, index) {
          const accounts = await ports.accounts.list()
          for (const { id } of accounts) {
            const found = await ports.intents.findByIndex(tenantOf({ id, network: tenant.network }), index)
            if (found !== null) return found
          }
          return null
        },
      }),
    }),
  },
  {
    name: 'new-endpoint-disabled',
    mistake: 'A new endpoint of webhooks is disabled, so that no event has a delivery.',
    sql: `CREATE FUNCTION disable_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.disabled_at := now(); RETURN NEW; END $$;
      CREATE TRIGGER disable_endpoint BEFORE INSERT ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION disable_endpoint();`,
  },
  {
    name: 'price-doubled-at-the-create',
    mistake: 'A payment is created with twice the ordered price.',
    below: created((intent) => ({ ...intent, priceUsdCents: makeUsdCents(intent.priceUsdCents * 2n) })),
  },
  {
    name: 'window-of-twenty-minutes',
    mistake: 'A payment can be paid for twenty minutes.',
    below: created((intent) => ({ ...intent, expiresAt: new Date(intent.expiresAt.getTime() + 600_000) })),
  },
  {
    name: 'answer-wrong-while-underpaid',
    mistake: 'The API answers an underpayment as if nothing had arrived.',
    below: (ports) => ({
      ...ports,
      intents: replaced(ports.intents, {
        async findByIndex(tenant, index) {
          const found = await ports.intents.findByIndex(tenant, index)
          return found?.status === 'underpaid' ? { ...found, received: makeBaseUnits(0n) } : found
        },
      }),
    }),
  },
]
