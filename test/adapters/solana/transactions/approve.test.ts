import { randomInt } from 'node:crypto'
import { type Address, createNoopSigner, getTransactionDecoder, type Instruction } from '@solana/kit'
import { getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  AuthorityType,
  getApproveCheckedInstruction,
  getApproveInstruction,
  getRevokeInstruction,
  getSetAuthorityInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import { type ApprovePlan, acceptOwnerSigned, type SponsoredPlan } from '#core/billing/approval.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { LegsPlan } from '#core/transfers/plan.ts'
import {
  APPROVE,
  addressOf,
  alteredApproves,
  compiler,
  DELEGATE,
  FEE_PAYER,
  keys,
  messageOf,
  newPerson,
  OWNER,
  REVOKE,
  signatureBy,
  signedBy,
  signer,
  sponsored,
} from '../../../support/approves.ts'
import { forgeMessage, type Rewrite } from '../../../support/signing.ts'

// Sponsored transactions: the fee payer signs nothing but the stored approve or revocation, and only the owner completes it.
describe('an approve', () => {
  const STRANGER = addressOf(3)
  const refused = (why: string) => ({ refused: expect.stringContaining(why) })
  const accept = acceptOwnerSigned

  const aPlan: fc.Arbitrary<SponsoredPlan> = fc
    .record({
      total: fc.option(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(makeBaseUnits)),
      decimals: fc.integer({ min: 0, max: 255 }),
      tokenProgram: fc.constantFrom<Address>(TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS),
    })
    .map(({ total, ...patch }) => {
      const token = { ...REVOKE.token, ...patch }
      return total === null ? { ...REVOKE, token } : { ...APPROVE, total, token }
    })

  test('the fee payer signs an approve or a revocation first, for both token programs, and the owner’s signature completes it', async () => {
    await fc.assert(
      fc.asyncProperty(aPlan, async (plan) => {
        const prepared = await sponsored(plan)
        expect(await sponsored(plan)).toEqual(prepared)
        const { signatures } = getTransactionDecoder().decode(prepared.wire)
        expect(Object.keys(signatures)).toEqual([FEE_PAYER, OWNER.address])
        expect(signatures[OWNER.address]).toBeNull()
        expect(verifyWalletSignature(FEE_PAYER, prepared.message, prepared.feePayerSignature)).toBe(true)
        const wire = signedBy(OWNER, prepared)
        expect(accept(prepared, wire, verifyWalletSignature)).toEqual({ wire })
        expect(wire.length).toBeLessThan(1232)
      }),
      { numRuns: 40 },
    )
  })

  test('a transaction that only the fee payer, or another wallet, has signed is refused', async () => {
    const prepared = await sponsored(APPROVE)
    const bySome = refused('has not signed')
    expect(accept(prepared, prepared.wire, verifyWalletSignature)).toMatchObject(bySome)
    expect(accept(prepared, signedBy(newPerson(), prepared), verifyWalletSignature)).toMatchObject(bySome)
    const unpaid = signedBy(OWNER, prepared).fill(0, 1, 65)
    expect(accept(prepared, unpaid, verifyWalletSignature)).toMatchObject(refused('fee payer was changed'))
  })

  test('the completed transaction of another approve of the same owner is refused', async () => {
    const [mine, other] = [await sponsored(APPROVE), await sponsored({ ...APPROVE, total: makeBaseUnits(5n) })]
    const wire = signedBy(OWNER, other)
    expect(accept(other, wire, verifyWalletSignature)).toEqual({ wire })
    expect(accept(mine, wire, verifyWalletSignature)).toMatchObject(refused('not the one that was prepared'))
  })

  const account = (owner: Address) => associatedTokenAddress(owner, APPROVE.token.mint, TOKEN_PROGRAM_ADDRESS)
  const ownerSigner = createNoopSigner(OWNER.address)
  const approveOf = (patch: {
    amount?: bigint
    delegate?: Address
    source?: Address
    decimals?: number
    mint?: Address
  }) =>
    getApproveCheckedInstruction({
      source: account(OWNER.address),
      mint: APPROVE.token.mint,
      delegate: DELEGATE,
      owner: ownerSigner,
      amount: APPROVE.total,
      decimals: 6,
      ...patch,
    })
  const added =
    (instruction: Instruction): Rewrite =>
    (all) => [...all, instruction]

  const FORGERIES: readonly (readonly [what: string, rewrite: Rewrite])[] = [
    ['one unit more', (all) => all.with(2, approveOf({ amount: APPROVE.total + 1n }))],
    ['one unit less', (all) => all.with(2, approveOf({ amount: APPROVE.total - 1n }))],
    ['another delegate', (all) => all.with(2, approveOf({ delegate: STRANGER }))],
    ['the fee payer as the delegate', (all) => all.with(2, approveOf({ delegate: FEE_PAYER }))],
    ['another token account', (all) => all.with(2, approveOf({ source: account(STRANGER) }))],
    ['another mint', (all) => all.with(2, approveOf({ mint: STRANGER }))],
    ['other decimals', (all) => all.with(2, approveOf({ decimals: 9 }))],
    [
      'an approve without the check of mint and decimals',
      (all) =>
        all.with(
          2,
          getApproveInstruction({
            source: account(OWNER.address),
            delegate: DELEGATE,
            owner: ownerSigner,
            amount: APPROVE.total,
          }),
        ),
    ],
    ['the approve of another program', (all) => all.with(2, { ...approveOf({}), programAddress: STRANGER as never })],
    ['two approves', added(approveOf({}))],
    ['no approve', (all) => all.slice(0, 2)],
    ['no compute budget', (all) => all.slice(2)],
    ['the approve before the budget', (all) => [...all.slice(2), ...all.slice(0, 2)]],
    [
      'a priority fee above the limit',
      (all) => all.with(1, getSetComputeUnitPriceInstruction({ microLamports: 10n ** 12n })),
    ],
    [
      'lamports out of the fee payer',
      added(getTransferSolInstruction({ source: createNoopSigner(FEE_PAYER), destination: STRANGER, amount: 1n })),
    ],
    [
      'lamports out of the owner',
      added(getTransferSolInstruction({ source: ownerSigner, destination: STRANGER, amount: 1n })),
    ],
    ['a revocation afterwards', added(getRevokeInstruction({ source: account(OWNER.address), owner: ownerSigner }))],
    [
      'the account given away',
      added(
        getSetAuthorityInstruction({
          owned: account(OWNER.address),
          owner: ownerSigner,
          authorityType: AuthorityType.AccountOwner,
          newAuthority: STRANGER,
        }),
      ),
    ],
    [
      'a transfer out of the owner’s account',
      added(
        getTransferCheckedInstruction({
          source: account(OWNER.address),
          mint: APPROVE.token.mint,
          destination: account(STRANGER),
          authority: ownerSigner,
          amount: 1n,
          decimals: 6,
        }),
      ),
    ],
    ['a memo by a stranger', added({ programAddress: STRANGER, data: Uint8Array.of(1) })],
  ]

  test.each(FORGERIES)('the fee payer does not sign: %s', async (_, rewrite) => {
    const message = messageOf(APPROVE)
    expect(forgeMessage(message, (all) => all)).toEqual(message)
    expect(await signer.sponsor(APPROVE, forgeMessage(message, rewrite))).toMatchObject(refused('The signer refuses'))
  })

  const revokeOf = (source: Address, programAddress?: Address) =>
    getRevokeInstruction({ source, owner: ownerSigner }, programAddress && { programAddress })
  const OTHER_REVOCATIONS: readonly (readonly [what: string, rewrite: Rewrite])[] = [
    ['an approve in its place', (all) => all.with(2, approveOf({}))],
    ['an approve afterwards', added(approveOf({}))],
    ['a revocation of another token account', (all) => all.with(2, revokeOf(account(STRANGER)))],
    ['a revocation by another program', (all) => all.with(2, revokeOf(account(OWNER.address), STRANGER))],
    ['two revocations', added(revokeOf(account(OWNER.address)))],
    ['no revocation', (all) => all.slice(0, 2)],
    ['more data', (all) => all.with(2, { ...revokeOf(account(OWNER.address)), data: Uint8Array.of(5, 0) })],
    [
      'lamports out of the fee payer',
      added(getTransferSolInstruction({ source: createNoopSigner(FEE_PAYER), destination: STRANGER, amount: 1n })),
    ],
  ]

  test.each(OTHER_REVOCATIONS)('the fee payer does not sign for a revocation: %s', async (_, rewrite) => {
    const message = messageOf(REVOKE)
    expect(forgeMessage(message, (all) => all.with(2, revokeOf(account(OWNER.address))))).toEqual(message)
    expect(await signer.sponsor(REVOKE, forgeMessage(message, rewrite))).toMatchObject(refused('The signer refuses'))
  })

  test('an approve is no revocation: neither is signed, or accepted, in the place of the other', async () => {
    const [approve, revoke] = [await sponsored(APPROVE), await sponsored(REVOKE)]
    expect(await signer.sponsor(APPROVE, revoke.message)).toMatchObject(refused('The signer refuses'))
    expect(await signer.sponsor(REVOKE, approve.message)).toMatchObject(refused('The signer refuses'))
    const other = refused('not the one that was prepared')
    expect(accept(revoke, signedBy(OWNER, approve), verifyWalletSignature)).toMatchObject(other)
    expect(accept(approve, signedBy(OWNER, revoke), verifyWalletSignature)).toMatchObject(other)
  })

  test('the fee payer does not sign: another fee payer, another blockhash, a legacy message, a changed length', async () => {
    const message = messageOf(APPROVE)
    const same: Rewrite = (all) => all
    for (const forged of [
      forgeMessage(message, same, { feePayer: OWNER.address }),
      forgeMessage(message, same, { feePayer: STRANGER }),
      forgeMessage(message, same, { blockhash: STRANGER as never }),
      forgeMessage(message, same, { version: 'legacy' }),
      Uint8Array.of(...message, 0),
      message.subarray(0, -1),
    ])
      expect(await signer.sponsor(APPROVE, forged)).toHaveProperty('refused')
  })

  const BAD_PLANS: readonly (readonly [what: string, patch: Partial<Omit<ApprovePlan, 'kind'>>])[] = [
    ['an allowance of nothing', { total: makeBaseUnits(0n) }],
    ['the fee payer as the owner', { owner: FEE_PAYER }],
    ['the delegate as the owner', { owner: DELEGATE }],
    ['an unknown token program', { token: { ...APPROVE.token, tokenProgram: STRANGER } }],
  ]

  test.each(BAD_PLANS)('a plan with %s is not signed, even by its own message', async (_, patch) => {
    const plan = { ...APPROVE, ...patch }
    expect(await signer.sponsor(plan, messageOf(plan))).toMatchObject(refused('The signer refuses'))
    const { total, ...same } = patch
    const revocation = { ...REVOKE, ...same, kind: 'revoke' as const }
    if (total === undefined)
      expect(await signer.sponsor(revocation, messageOf(revocation))).toMatchObject(refused('The signer refuses'))
  })

  test('a message is signed for its own plan only: not of another network, owner, total or blockhash', async () => {
    const message = messageOf(APPROVE)
    for (const patch of [
      { network: 'test' as const },
      { owner: STRANGER },
      { total: makeBaseUnits(1n) },
      { lifetime: { ...APPROVE.lifetime, blockhash: STRANGER as never } },
    ])
      expect(await signer.sponsor({ ...APPROVE, ...patch }, message)).toHaveProperty('refused')
    expect(() => compiler.compileSponsored({ ...APPROVE, network: 'test' })).toThrow('cannot compile')
  })

  test('an approve is no transfer: neither signs the message of the other', async () => {
    const delegate = { address: DELEGATE, key: { network: 'live', branch: 'delegate' } } as const
    const pull: LegsPlan = {
      kind: 'legs',
      network: 'live',
      source: OWNER.address,
      authority: delegate,
      asset: APPROVE.token.mint,
      token: APPROVE.token,
      legs: [{ role: 'payout', destination: STRANGER, amount: makeBaseUnits(1n), feeBps: null }],
      lifetime: APPROVE.lifetime,
      memo: 'charge',
    }
    const receiver = await keys.tokenAccountOf(STRANGER, APPROVE.token.mint, TOKEN_PROGRAM_ADDRESS)
    const { message } = await compiler.compile(pull, new Map([[receiver, null]]))
    expect(await signer.sign(pull, message)).toHaveProperty('signature')
    expect(await signer.sponsor(APPROVE, message)).toHaveProperty('refused')
    expect(await signer.sign(pull, messageOf(APPROVE))).toHaveProperty('refused')
  })
})

// No altered transaction is accepted in the place of a stored approve, whatever the owner signs. APPROVE_MUTATIONS sets the
// number of altered transactions; the number in every run is small.
describe('altered approves', () => {
  const COUNT = Number(process.env.APPROVE_MUTATIONS ?? 20_000)
  const SEED = Number(process.env.APPROVE_SEED ?? randomInt(1, 2 ** 31))

  test(`${COUNT} altered transactions of an approve: none is accepted (seed ${SEED})`, {
    timeout: 3_600_000,
  }, async () => {
    const stored = await sponsored(APPROVE)
    const good = signedBy(OWNER, stored)
    const stranger = newPerson()
    expect(acceptOwnerSigned(stored, good, verifyWalletSignature)).toEqual({ wire: good })

    const approve = {
      good,
      owner: OWNER.address,
      account: associatedTokenAddress(OWNER.address, APPROVE.token.mint, APPROVE.token.tokenProgram),
      sign: async (message: Uint8Array) => signatureBy(OWNER, message),
      strangerSigns: async (message: Uint8Array) => signatureBy(stranger, message),
      twin: signedBy(OWNER, await sponsored({ ...APPROVE, total: makeBaseUnits(APPROVE.total + 1n) })),
    }
    const tried = new Set<string>()
    const accepted: string[] = []
    let all = 0
    for await (const { kind, wire, kinds } of alteredApproves(approve, { seed: SEED, count: COUNT })) {
      tried.add(kind)
      all = kinds
      if ('wire' in acceptOwnerSigned(stored, wire, verifyWalletSignature)) accepted.push(kind)
    }
    process.stdout.write(`${COUNT} altered, ${accepted.length} accepted, ${tried.size} kinds; seed ${SEED}\n`)
    expect(accepted).toEqual([])
    expect(tried.size).toBe(all)
  })
})
