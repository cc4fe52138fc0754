// Events of billing: their payloads, and the fields that are derived.
import { describe, expect, test } from 'vitest'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import type { BillingEvent } from '#core/billing/machine/change.ts'
import {
  CHARGE_EVENTS,
  isBillingStopped,
  isManageable,
  recoveryActionOf,
  SUBSCRIPTION_EVENTS,
} from '#core/billing/payload.ts'
import { SUBSCRIPTION_FIELDS } from '#core/billing/subscription.ts'
import { MAINNET_GENESIS_HASH, walletChainOf } from '#core/chain/known-networks.ts'
import { record } from '#core/codec.ts'
import { registerEventSubjects } from '#core/events/subjects.ts'
import { pause } from '../../support/charge.ts'
import { DEVNET, TESTNET } from '../../support/example-billing.ts'
import { signatureNo } from '../../support/payment.ts'
import { SubscriptionWorld } from '../../support/subscription-world.ts'

const subjects = registerEventSubjects([SUBSCRIPTION_EVENTS, CHARGE_EVENTS])
const snapshotOf = (event: BillingEvent): unknown =>
  'charge' in event ? record(CHARGE_FIELDS).write(event.charge) : record(SUBSCRIPTION_FIELDS).write(event.subscription)

function payloadOf(world: SubscriptionWorld, type: string, genesisHash = MAINNET_GENESIS_HASH): object {
  const event = world.events.findLast((one) => one.type === type)
  if (event === undefined) throw new Error(`no ${type}`)
  const subjectKind = 'charge' in event ? 'charge' : 'subscription'
  const data = JSON.parse(JSON.stringify(snapshotOf(event)))
  return subjects.render({ subjectKind, type, data }, walletChainOf(genesisHash))
}

const FEBRUARY = new Date('2026-02-28T10:00:00.000Z')

describe('the payload of an event', () => {
  test('about a subscription has the fields of the interface, with amounts as decimal strings', () => {
    expect(payloadOf(SubscriptionWorld.active(), 'subscription.activated')).toEqual({
      id: 'subscription',
      tier_id: 'tier-1',
      status: 'active',
      subscriber_wallet: SubscriptionWorld.active().subscription.subscriberWallet,
      mint: SubscriptionWorld.active().subscription.mint,
      unit_amount: '10000000',
      discount: null,
      periods: 12,
      authorized_amount: '120000000',
      spent_amount: '10000000',
      remaining_amount: '110000000',
      delegation_epoch: 1,
      period_index: 0,
      current_period_start: '2026-01-31T10:00:00.000Z',
      current_period_end: '2026-02-28T10:00:00.000Z',
      trial_ends_at: null,
      cancel_at_period_end: false,
      stopped_by: null,
      manageable: true,
      billing_stopped: false,
      next_charge_at: '2026-02-28T10:00:00.000Z',
      approve_signature: null,
      metadata: { plan: 'gold' },
      version: 3,
      created_at: '2026-01-31T10:00:00.000Z',
      updated_at: '2026-01-31T10:00:00.000Z',
      activated_at: '2026-01-31T10:00:00.000Z',
      canceled_at: null,
      ended_at: null,
    })
  })

  test('about a charge has the fields of the interface, with amounts as decimal strings', () => {
    const world = SubscriptionWorld.active()
    expect(payloadOf(world, 'charge.succeeded')).toEqual({
      id: world.latest.id,
      subscription_id: 'subscription',
      period_index: 0,
      delegation_epoch: 1,
      mint: world.latest.mint,
      amount: '10000000',
      fee_amount: '300000',
      net_amount: '9700000',
      destination_ata: world.latest.destinationAta,
      fee_destination: world.latest.feeDestination,
      status: 'succeeded',
      signature: signatureNo(1),
      explorer_url: `https://explorer.solana.com/tx/${signatureNo(1)}`,
      failure_code: null,
      recovery_action: null,
      attempts: 1,
      version: 3,
      created_at: '2026-01-31T10:00:00.000Z',
      settled_at: '2026-01-31T10:00:00.000Z',
    })
  })

  test.each([
    ['mainnet', MAINNET_GENESIS_HASH, `https://explorer.solana.com/tx/${signatureNo(1)}`],
    ['devnet', DEVNET, `https://explorer.solana.com/tx/${signatureNo(1)}?cluster=devnet`],
    ['testnet', TESTNET, `https://explorer.solana.com/tx/${signatureNo(1)}?cluster=testnet`],
    ['a chain of its own', signatureNo(2), null],
  ])('links to the page of the explorer for %s', (_name, genesisHash, explorer_url) => {
    expect(payloadOf(SubscriptionWorld.active(), 'charge.succeeded', genesisHash)).toMatchObject({ explorer_url })
  })

  test('shows the subscription and the charge as they were at that step', () => {
    const world = SubscriptionWorld.active().runTo(FEBRUARY).fail('insufficient_funds')
    expect(payloadOf(world, 'charge.failed')).toMatchObject({
      status: 'failed',
      failure_code: 'insufficient_funds',
      recovery_action: 'retry',
      explorer_url: null,
    })
    expect(payloadOf(world, 'subscription.past_due')).toMatchObject({
      status: 'past_due',
      next_charge_at: '2026-02-28T10:05:00.000Z',
    })
  })

  test('of one subscription grows in its version from event to event', () => {
    const world = SubscriptionWorld.active().runTo(FEBRUARY).fail('insufficient_funds').run(300_000).charge()
    const versions = world.events.flatMap((event) => ('charge' in event ? [] : [event.subscription.version]))
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
    expect(versions).toHaveLength(5)
  })
})

describe('the derived fields', () => {
  test('an incomplete or an ended subscription is not manageable', () => {
    expect(isManageable(SubscriptionWorld.incomplete().subscription)).toBe(false)
    expect(isManageable(SubscriptionWorld.active().subscription)).toBe(true)
    expect(isManageable({ status: 'canceled' })).toBe(false)
    expect(isManageable({ status: 'failed' })).toBe(false)
    expect(isManageable({ status: 'exhausted' })).toBe(true)
  })

  test('billing is stopped when no next charge is planned', () => {
    const world = SubscriptionWorld.active()
    expect(isBillingStopped(world.subscription)).toBe(false)
    world.apply(pause(world.facts, world.context()))
    expect(isBillingStopped(world.subscription)).toBe(true)
  })

  test('a charge that did not fail has no recovery action', () => {
    expect(recoveryActionOf({ failureCode: null })).toBeNull()
    expect(recoveryActionOf({ failureCode: 'delegate_revoked' })).toBe('reapprove')
    expect(recoveryActionOf({ failureCode: 'destination_unavailable' })).toBe('none')
  })
})
