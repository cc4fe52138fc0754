// Where held money may go: what the buyer is asked, and has proposed.
import { type AddressProposal, PROPOSAL_STATUSES, type RefundAddress } from '#core/payments/intent-values.ts'
import { builder } from '#graphql/builder.ts'

const STATUSES: Readonly<Record<AddressProposal['status'], string>> = {
  proposed: 'It waits for the business.',
  approved: 'The business approved it: the money was released there.',
  not_sent: 'The business approved it, and it could not receive the money, which is held again.',
  declined: 'The business declined it. The buyer may propose another.',
  closed: 'The money went elsewhere before the business decided.',
}

const AddressProposalStatusEnum = builder.enumType('AddressProposalStatus', {
  description: 'How far the proposal of a buyer is.',
  values: Object.fromEntries(PROPOSAL_STATUSES.map((status) => [status, { description: STATUSES[status] }])),
})

const AddressProposalType = builder.objectRef<AddressProposal>('AddressProposal').implement({
  description:
    'An address that a buyer proposes for held money. Anyone who has the client secret can propose one: it proves the order, ' +
    'and not the person.',
  fields: (t) => ({
    address: t.expose('address', { type: 'SolanaAddress', description: 'The address, which the buyer has entered.' }),
    status: t.expose('status', { type: AddressProposalStatusEnum, description: 'How far it is.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the business declined it. Null unless it did.',
    }),
    proposedAt: t.expose('proposedAt', { type: 'DateTimeISO', description: 'The time of the proposal.' }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the decision. Null until there is one.',
    }),
  }),
})

export const RefundAddressType = builder.objectRef<RefundAddress>('RefundAddress').implement({
  description: 'Where held money may go.',
  fields: (t) => ({
    isWanted: t.exposeBoolean('isWanted', {
      description:
        'Whether money is held that could go to an address of the buyer, who may propose one, also in place of one that waits.',
    }),
    proposal: t.expose('proposal', {
      type: AddressProposalType,
      nullable: true,
      description: 'The newest proposal. Null when there was none.',
    }),
  }),
})
