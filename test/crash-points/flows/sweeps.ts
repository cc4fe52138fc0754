// Payments that are swept: exact, early, too large, in every kind of asset.
import { SOL } from '#core/chain/types.ts'
import { MINT } from '../../support/example-intent.ts'
import { NETWORK_FEE } from '../../support/payment.ts'
import type { Flow, Step } from '../flow.ts'
import { FEE_MINT } from '../world.ts'
import { arrives, chose, EXCESS, fates, PRICE, pay, SENT, SENT_TOKEN, SWEPT } from './steps.ts'

export function sweeps(): readonly Flow[] {
  const ofSol = (name: string, first: Step, failed: number): Flow => ({
    name,
    intent: chose(SOL),
    lanes: [[first, pay(SOL, PRICE)]],
    endings: [
      {
        status: 'swept',
        events: SWEPT,
        transfers: [...Array<string>(failed).fill('sweep failed'), 'sweep done'],
        money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT },
      },
    ],
  })
  const ofToken = (name: string, first: Step): Flow => ({
    name,
    intent: chose(MINT),
    lanes: [[first, pay(MINT, PRICE)]],
    endings: [
      {
        status: 'swept',
        events: SWEPT,
        transfers: ['sweep done', 'rent done'],
        money: { 'merchant USDC': PRICE, 'buyer SOL': -SENT_TOKEN, 'buyer USDC': -PRICE },
      },
    ],
  })
  return [
    ofSol('a SOL payment', fates(), 0),
    ofSol('a SOL payment whose first transaction is lost permanently', fates('is lost'), 0),
    ofSol('a SOL payment whose first transaction fails on chain', fates('fails'), 1),
    {
      ...ofSol('a SOL payment that is found in blocks', fates(), 0),
      readsBlocks: true,
    },
    {
      ...ofSol('a SOL payment before an asset was selected', fates(), 0),
      intent: {},
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          unordered: ['token_selected'],
          transfers: ['sweep done'],
          money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT },
        },
      ],
    },
    ofToken('a token payment and its rent', fates()),
    ofToken('a token payment whose close fails on chain at first', fates('lands', 'fails')),
    {
      name: 'a Token-2022 payment whose mint withholds fees, and its rent',
      intent: chose(FEE_MINT, arrives(PRICE)),
      lanes: [[pay(FEE_MINT, PRICE)]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          transfers: ['sweep done', 'rent done'],
          money: { 'merchant FEE': arrives(arrives(PRICE)), 'buyer SOL': -SENT_TOKEN, 'buyer FEE': -PRICE },
        },
      ],
    },
    {
      name: 'a SOL payment that is too large',
      intent: chose(SOL),
      lanes: [[pay(SOL, PRICE + EXCESS)]],
      endings: [
        {
          status: 'swept',
          events: ['overpaid', 'settling', 'swept'],
          transfers: ['sweep done'],
          money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT },
        },
      ],
    },
    {
      name: 'a token payment that is too large',
      intent: chose(MINT),
      lanes: [[pay(MINT, PRICE + EXCESS)]],
      endings: [
        {
          status: 'swept',
          events: ['overpaid', 'settling', 'swept'],
          transfers: ['sweep done', 'rent done'],
          money: { 'merchant USDC': PRICE, 'buyer SOL': -SENT_TOKEN, 'buyer USDC': -PRICE },
        },
      ],
    },
  ]
}
