// Charges, subscriptions and delegations, each compared with the records that must agree with it.
import type { BillingFinding, BillingRecord, BillingRule } from '#core/audit/charges.ts'
import { builder, limitOf, NetworkEnum } from '#graphql/operator/builder.ts'
import type { BillingAuditPage, ChargeTotal } from '#services/audit/charges.ts'

const BillingRecordEnum = builder.enumType('BillingRecord', {
  description: 'What an audit of recurring billing compares.',
  values: {
    charge: { description: 'Charges, with their transfers and the ledger.' },
    subscription: { description: 'Subscriptions, with their charges.' },
    delegation: { description: 'Allowances, with their subscriptions.' },
  } satisfies Record<BillingRecord, { readonly description: string }>,
})

const BillingRuleEnum = builder.enumType('BillingRule', {
  description: 'A rule that a record must follow.',
  values: {
    split: { description: 'Payout and fee of a charge add up to its amount.' },
    transfer: { description: 'A charge has one transfer, which is done exactly when the charge has succeeded.' },
    transaction: { description: 'A charge that succeeded has exactly one successful transaction, any other has none.' },
    legs: { description: 'The transfer of a charge pays its amounts to its destinations, and all of it arrives.' },
    period: { description: 'A period of a subscription is charged once.' },
    ledger: { description: 'The ledger has each final transaction of a charge, and no other.' },
    spent: { description: 'The charges that succeeded add up to what the subscription has spent.' },
    next_period: { description: 'The next period to charge is after every paid one.' },
    owner: { description: 'A subscription and its allowance have the same network, wallet and token.' },
    allowance: { description: 'The allowance, as it was read last, covers what is outstanding.' },
  } satisfies Record<BillingRule, { readonly description: string }>,
})

const ChargeTotalType = builder.objectRef<ChargeTotal>('ChargeTotal').implement({
  description: 'Charges in one token, in its base units: pulled = paidOut + fees + difference.',
  fields: (t) => ({
    mint: t.expose('mint', { type: 'SolanaAddress', description: 'The token.' }),
    charges: t.exposeInt('charges', { description: 'The charges that succeeded.' }),
    pulled: t.expose('pulled', { type: 'SignedUnits', description: 'What they pulled.' }),
    paidOut: t.expose('paidOut', { type: 'SignedUnits', description: 'What arrived at the businesses.' }),
    fees: t.expose('fees', { type: 'SignedUnits', description: 'What arrived at the platform.' }),
    difference: t.expose('difference', { type: 'SignedUnits', description: 'What nothing accounts for.' }),
  }),
})

const BillingFindingType = builder.objectRef<BillingFinding>('BillingFinding').implement({
  description: 'A record that breaks a rule.',
  fields: (t) => ({
    record: t.expose('record', { type: BillingRecordEnum, description: 'The kind of the record.' }),
    id: t.expose('id', { type: 'UUID', description: 'The id of the record.' }),
    rule: t.expose('rule', { type: BillingRuleEnum, description: 'The rule.' }),
    problem: t.exposeString('problem', { description: 'What differs, for people.' }),
  }),
})

const BillingAuditPageType = builder.objectRef<BillingAuditPage>('BillingAuditPage').implement({
  description: 'A page of an audit of recurring billing.',
  fields: (t) => ({
    records: t.exposeInt('records', { description: 'The records that the page covers.' }),
    totals: t.field({
      description: 'One entry for each token. Empty for records other than charges.',
      type: [ChargeTotalType],
      resolve: ({ totals }) => [...totals],
    }),
    findings: t.field({
      description: 'What differs.',
      type: [BillingFindingType],
      resolve: ({ findings }) => [...findings],
    }),
    feePayerSpent: t.expose('feePayerSpent', {
      type: 'SignedUnits',
      description: 'What charges or approves took from the fee payer, in lamports.',
    }),
    next: t.expose('next', { type: 'UUID', nullable: true, description: 'The next page’s `after`; null at the end.' }),
  }),
})

const MAX_PAGE = 200

builder.queryField('auditBilling', (t) =>
  t.field({
    type: BillingAuditPageType,
    description: 'Compares a page of records of recurring billing with the records that must agree with them.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true, description: 'The network of the records.' }),
      record: t.arg({ type: BillingRecordEnum, required: true, description: 'The kind of the records.' }),
      after: t.arg({ type: 'UUID', description: 'Covers records after this id. All when left out.' }),
      limit: t.arg.int({ description: `The page size: 20 unless it is given, at most ${MAX_PAGE}.` }),
    },
    resolve: (_root, { network, record, after, limit }, { services }) =>
      services.billingAudit.page(network, { record, after: after ?? null, limit: limitOf(limit, MAX_PAGE) }),
  }),
)
