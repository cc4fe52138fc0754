// Obstacles of a transfer: a frozen account, a sender that is no wallet, money that arrives in between.
import { SOL } from '#core/chain/types.ts'
import { MINT } from '../../support/example-intent.ts'
import { BUYER, FEE_PAYER, NETWORK_FEE } from '../../support/payment.ts'
import { tokenAccountOf, WALLET_RENT } from '../../support/toy-chain.ts'
import type { Flow } from '../flow.ts'
import { PLENTY, SOURCE, VAULT } from '../world.ts'
import {
  cancel,
  change,
  chose,
  HALF,
  PRICE,
  pay,
  RELEASED,
  release,
  retry,
  SENT,
  SENT_TOKEN,
  SWEPT,
  until,
  untilStatus,
} from './steps.ts'

export function exceptions(): readonly Flow[] {
  const place = tokenAccountOf(SOURCE, MINT)
  return [
    {
      name: 'a frozen token account, thawed and retried by a person',
      intent: chose(MINT),
      lanes: [
        [
          change(({ toy }) => toy.frozen.add(place)),
          pay(MINT, PRICE),
          until(({ transfers }) => transfers.some(({ status }) => status === 'held')),
          change(({ toy }) => toy.frozen.delete(place)),
          retry,
        ],
      ],
      endings: [
        {
          status: 'swept',
          events: ['paid', 'settling', 'settle_failed', 'settling', 'swept'],
          transfers: ['sweep done', 'rent done'],
          money: { 'merchant USDC': PRICE, 'buyer SOL': -SENT_TOKEN, 'buyer USDC': -PRICE },
        },
      ],
    },
    {
      name: 'a refund to a sender that is no wallet, released by a person',
      intent: chose(SOL),
      lanes: [
        [
          change(({ toy }) => toy.programs.set(BUYER, VAULT)),
          pay(SOL, HALF),
          untilStatus('underpaid'),
          cancel,
          untilStatus('refund_failed'),
          release(SOL),
        ],
      ],
      endings: [
        {
          status: 'refunded',
          events: RELEASED,
          unordered: ['held_released'],
          transfers: ['refund failed', 'release done'],
          money: { 'owner SOL': HALF - NETWORK_FEE, 'buyer SOL': -HALF - SENT },
        },
      ],
    },
    {
      name: 'more money that arrives before anything was signed, withdrawn and planned again',
      intent: chose(SOL),
      lanes: [
        [
          change(({ toy }) => toy.fund(FEE_PAYER, -PLENTY)),
          pay(SOL, PRICE),
          untilStatus('settling'),
          pay(SOL, WALLET_RENT / 2n),
          until(({ deposits }) => deposits.length === 2),
          change(({ toy }) => toy.fund(FEE_PAYER, PLENTY)),
        ],
      ],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          unordered: ['late_payment', 'settlement_updated'],
          transfers: ['sweep failed', 'sweep done', 'refund done', 'sweep done'],
          money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT - SENT - NETWORK_FEE },
        },
      ],
    },
  ]
}
