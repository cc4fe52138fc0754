// Corrections of a seller by the operator.
import { operatorActor } from '#core/marketplace/audit.ts'
import { AccountType } from '#graphql/operator/account.ts'
import { builder } from '#graphql/operator/builder.ts'

const CorrectSellerInput = builder.inputType('CorrectSellerInput', {
  description: 'The fields to change, at least one. A field that is left out is untouched; null clears it.',
  fields: (t) => ({
    name: t.field({ type: 'Line', description: 'The name of the seller. It cannot be cleared.' }),
    label: t.field({ type: 'Line', description: 'The name that buyers see.' }),
    sweepDestination: t.field({ type: 'SolanaAddress', description: 'The wallet that receives its settlements.' }),
  }),
})

builder.mutationField('correctSeller', (t) =>
  t.field({
    type: AccountType,
    description:
      'Corrects a seller, also while its marketplace is revoked. The audit trail of the marketplace names the operator.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The account of the seller.' }),
      input: t.arg({ type: CorrectSellerInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input: { name, ...patch } }, { services, address }) =>
      services.marketplaces.correctSeller(
        id,
        { ...patch, ...(typeof name === 'string' && { name }) },
        operatorActor(address),
      ),
  }),
)
