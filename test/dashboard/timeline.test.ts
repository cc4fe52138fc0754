// The timeline of a subscription has words for each event that there is.
import { expect, it } from 'vitest'
import { CHARGE_EVENTS, SUBSCRIPTION_EVENTS } from '#core/billing/payload.ts'
import { en } from '#dashboard/texts/en.ts'

it('each event of a subscription and of a charge is said in words', () => {
  const texts = Object.keys(en)
  const names = [...SUBSCRIPTION_EVENTS.types, ...CHARGE_EVENTS.types].map((type) =>
    type.replace('subscription.', 'tl_').replace('charge.', 'tl_charge_'),
  )
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !texts.some((text) => text.startsWith(name)))).toEqual([])
})
