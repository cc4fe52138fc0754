// Money of an unknown sender, money in other token accounts, and tokens that are not allowed, on a real Solana runtime: shown,
// and released by the operator's command.
import { type Address, address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  AuthorityType,
  getApproveCheckedInstruction,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getFreezeAccountInstruction,
  getInitializeAccount3Instruction,
  getSetAuthorityInstruction,
  getSyncNativeInstruction,
  getThawAccountInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { runOperator } from '#operator/program.ts'
import { fundSol, fundToken } from '#sandbox/chain/faucet.ts'
import { createMint } from '#sandbox/chain/mints.ts'
import { sendTransaction } from '#sandbox/chain/send-transaction.ts'
import * as extension from '../support/chain.ts'
import { openIntent, STORY_TIMEOUT_MS, type Story, startStory, untilStatus } from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
beforeAll(async () => {
  story = await startStory({ DEPOSIT_SOURCE: 'blocks', CHAIN_SLOT_MS: '100' })
})
afterAll(() => story?.stop())

async function operator(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const global = ['--url', story.facts.base_url, '--token', story.operatorToken, '--json']
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
  const code = await runOperator([...global, ...args], {}, terminal)
  return { code, body: out.length === 0 ? null : JSON.parse(out.join('\n')), err: err.join('\n') }
}

/** Pays as a delegate of the wallet: the owner of the money does not sign. */
async function payByDelegate(to: string, amount: bigint): Promise<string> {
  const { rpc_url: rpcUrl, tokens } = story.facts
  const token = tokens.find(({ ticker }) => ticker === 'USDD')
  if (token === undefined) throw new Error('there is no USDD')
  const { decimals } = token
  const [mint, tokenProgram] = [address(token.mint), address(token.token_program)]
  const program = { programAddress: tokenProgram }
  const delegate = await generateKeyPairSigner()
  await fundSol(rpcUrl, delegate.address, 1_000_000_000n)
  const source = associatedTokenAddress(story.wallet.address, mint, tokenProgram)
  const approve: Instruction = getApproveCheckedInstruction(
    { source, mint, delegate: delegate.address, owner: story.wallet, amount, decimals },
    program,
  )
  await sendTransaction(rpcUrl, story.wallet, [approve])
  const owner = address(to)
  const destination = associatedTokenAddress(owner, mint, tokenProgram)
  await sendTransaction(rpcUrl, delegate, [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: delegate, owner, mint, tokenProgram }),
    getTransferCheckedInstruction({ source, mint, destination, authority: delegate, amount, decimals }, program),
  ])
  return token.mint
}

it('money of an unknown sender is held, and goes once to the address that the operator names, with a reason', async () => {
  const { index, deposit, expected } = await openIntent(story, 'USDD')
  const paid = expected / 2n
  const mint = await payByDelegate(deposit, paid)
  await untilStatus(story, index, 'underpaid')
  await story.rest('POST', '/cancel', { key: story.facts.api_key, body: { index } })

  const stuck = await untilStatus(story, index, 'refund_failed')
  const held = [{ mint, amount: Number(paid), reason: 'The sender is not known for certain.' }]
  expect(stuck.held).toEqual(held)
  expect((await operator('held', 'list')).body.payments).toMatchObject([{ intent_index: index, held }])
  expect((await operator('status')).body.alerts).toContainEqual(expect.stringContaining('held release'))

  const to = (await generateKeyPairSigner()).address
  const order = ['held', 'release', String(index), '--asset', mint, '--to', to, '--reason', 'They proved it.']
  const first = await operator(...order)
  expect(first).toMatchObject({
    code: 0,
    body: { releases: [{ to, amount: Number(paid), reason: 'They proved it.' }] },
  })
  const again = await operator(...order)
  // While the release is under way, a repeat returns it; after it has landed, nothing is held any more.
  if (again.code === 0) expect(again.body.releases[0].transfer_id).toBe(first.body.releases[0].transfer_id)
  else expect(again.err).toContain('nothing of this asset is held')

  const back = await untilStatus(story, index, 'refunded')
  expect(back.held).toBeUndefined()
  expect(await story.tokensOf(to, mint)).toMatchObject([{ amount: paid }])
  expect((await operator('held', 'list')).body.payments).toEqual([])
  expect((await operator('held', 'releases')).body.releases).toMatchObject([
    { transfer_id: first.body.releases[0].transfer_id, status: 'done', released_by: 'operator', problem: null },
  ])
  const audit = await operator('audit', '--network', 'live')
  expect(audit).toMatchObject({ code: 0, body: { clean: true } })
})

/** Mints a token of a stranger to an address. Its issuer can take it back from any account, and it takes a fee of 1 %. */
async function mintSpam(to: Address, amount: bigint): Promise<Address> {
  const { rpc_url: rpcUrl } = story.facts
  const [authority, mint] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()])
  await fundSol(rpcUrl, authority.address, 10_000_000_000n)
  const extensions = [
    extension.transferFee(authority.address, 100, 5_000n),
    extension.permanentDelegate(authority.address),
  ]
  const tokenProgram = TOKEN_2022_PROGRAM_ADDRESS
  await createMint(rpcUrl, { mint, authority, decimals: 2, tokenProgram, extensions })
  await fundToken(rpcUrl, { authority, owner: to, mint: mint.address, amount })
  return mint.address
}

const CONSENT =
  'mint-close-authority,permanent-delegate,transfer-fee-config,confidential-transfer-mint,confidential-transfer-fee-config,transfer-hook'

type Issued = {
  readonly mint: Address
  readonly tokenProgram: Address
  readonly authority: KeyPairSigner
  /** The bytes of its accounts. */
  readonly space: number
}

/** Makes a token, and allows it: one of Token-2022 has the extensions of PYUSD. The issuer has many. */
async function issue(tokenProgram: Address, space: number): Promise<Issued> {
  const { rpc_url: rpcUrl } = story.facts
  const [authority, mint] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()])
  await fundSol(rpcUrl, authority.address, 10_000_000_000n)
  const extensions =
    tokenProgram === TOKEN_2022_PROGRAM_ADDRESS ? extension.regulatedDollar(authority.address, mint.address) : []
  await createMint(rpcUrl, { mint, authority, decimals: 2, tokenProgram, extensions })
  await fundToken(rpcUrl, { authority, owner: authority.address, mint: mint.address, amount: 1_000_000n })
  const named = ['--name', 'A token', '--ticker', mint.address.slice(0, 6).toUpperCase(), '--consent', CONSENT]
  const allowed = await operator('token', 'allow', '--network', 'live', '--mint', mint.address, ...named)
  expect(allowed.code).toBe(0)
  return { mint: mint.address, tokenProgram, authority, space }
}

/** Sends a token to a new account of the owner that is not its associated one. With `keeps`, the sender may close it. */
async function payOtherAccount(token: Issued, owner: Address, amount: bigint, keeps = false): Promise<Address> {
  const { mint, tokenProgram, authority, space } = token
  const program = { programAddress: tokenProgram }
  const account = await generateKeyPairSigner()
  const lamports = 3_000_000n
  const source = associatedTokenAddress(authority.address, mint, tokenProgram)
  const owned = account.address
  const set = (authorityType: AuthorityType, newAuthority: Address) =>
    getSetAuthorityInstruction({ owned, owner: authority, authorityType, newAuthority }, program)
  await sendTransaction(story.facts.rpc_url, authority, [
    getCreateAccountInstruction({ payer: authority, newAccount: account, lamports, space, ...program }),
    getInitializeAccount3Instruction({ account: owned, mint, owner: authority.address }, program),
    ...(keeps ? [set(AuthorityType.CloseAccount, authority.address)] : []),
    set(AuthorityType.AccountOwner, owner),
    getTransferCheckedInstruction({ source, mint, destination: owned, authority, amount, decimals: 2 }, program),
  ])
  return owned
}

const heldOf = async (index: number): Promise<{ mint: string; amount: number; reason: string }[]> =>
  (await story.rest('GET', `/status?index=${index}`, { key: story.facts.api_key })).body.held ?? []
const untilHeld = (index: number, amount: bigint) =>
  until(async () => (await heldOf(index)).some((one) => one.amount === Number(amount)), STORY_TIMEOUT_MS / 2)
type Listed = { transfer_id: string; source_account: string | null; amount: number; status: string; problem: string }
const releasesFrom = async (accounts: readonly Address[]): Promise<readonly Listed[]> => {
  const { releases } = (await operator('held', 'releases')).body
  return accounts.map((account) => releases.find((one: Listed) => one.source_account === account))
}
const untilReleases = (accounts: readonly Address[], statuses: readonly string[]) =>
  until(async () => {
    const found = await releasesFrom(accounts)
    return found.every(({ status }, at) => status === statuses[at])
  }, STORY_TIMEOUT_MS / 2)
const cleanAudit = { code: 0, body: { clean: true } }

it.each([
  ['classic', TOKEN_PROGRAM_ADDRESS, 165],
  // Its accounts have room for withheld fees and for the hook.
  ['Token-2022 like PYUSD', TOKEN_2022_PROGRAM_ADDRESS, 183],
] as const)(
  'money in two other accounts of an allowed token (%s) is held, goes once to the wallet, and closes the accounts',
  async (_, tokenProgram, space) => {
    const token = await issue(tokenProgram, space)
    const { index, deposit } = await openIntent(story, 'SOL')
    const owner = address(deposit)
    const accounts = [await payOtherAccount(token, owner, 500n), await payOtherAccount(token, owner, 300n)]
    await untilHeld(index, 800n)
    const reason = 'It is in another token account than the associated one of the address.'
    expect(await heldOf(index)).toEqual([{ mint: token.mint, amount: 800, reason }])

    const to = (await generateKeyPairSigner()).address
    const order = ['held', 'release', String(index), '--asset', token.mint, '--to', to, '--reason', 'Sent by mistake.']
    const ordered = await operator(...order)
    expect(ordered.code).toBe(0)
    expect(ordered.body.releases).toHaveLength(2)
    const again = await operator(...order)
    if (again.code === 0) for (const one of again.body.releases) expect(accounts).toContain(one.source_account)
    await untilReleases(accounts, ['done', 'done'])
    expect((await releasesFrom(accounts)).map(({ amount }) => amount)).toEqual([500, 300])
    expect(await story.tokensOf(to, token.mint)).toMatchObject([{ amount: 800n }])
    await until(async () => (await story.tokensOf(deposit, token.mint)).length === 0, STORY_TIMEOUT_MS / 2)
    expect(await heldOf(index)).toEqual([])
    expect((await operator(...order)).err).toContain('nothing of this asset is held')
    expect(await operator('audit', '--network', 'live')).toMatchObject(cleanAudit)
  },
)

it('a frozen account keeps its money, says so, and delays no other account; after a thaw it is retried', async () => {
  const token = await issue(TOKEN_PROGRAM_ADDRESS, 165)
  const { mint, authority } = token
  const { rpc_url: rpcUrl } = story.facts
  const { index, deposit } = await openIntent(story, 'SOL')
  const owner = address(deposit)
  const frozen = await payOtherAccount(token, owner, 70n)
  await sendTransaction(rpcUrl, authority, [getFreezeAccountInstruction({ account: frozen, mint, owner: authority })])
  const other = await payOtherAccount(token, owner, 30n, true)
  const accounts = [frozen, other]
  await untilHeld(index, 100n)

  const to = (await generateKeyPairSigner()).address
  const order = ['held', 'release', String(index), '--asset', mint, '--to', to, '--reason', 'Sent by mistake.']
  expect((await operator(...order)).code).toBe(0)
  await untilReleases(accounts, ['held', 'done'])
  const problem = `The token account ${frozen} of the deposit address is frozen by its issuer.`
  const [stopped] = await releasesFrom([frozen])
  expect(stopped?.problem).toBe(problem)
  expect((await operator(...order)).body.releases).toContainEqual(expect.objectContaining({ problem }))
  expect(await heldOf(index)).toEqual([{ mint, amount: 70, reason: problem }])
  expect(await story.tokensOf(to, mint)).toMatchObject([{ amount: 30n }])

  await sendTransaction(rpcUrl, authority, [getThawAccountInstruction({ account: frozen, mint, owner: authority })])
  expect((await operator('transfer', 'retry', String(stopped?.transfer_id))).code).toBe(0)
  await untilReleases(accounts, ['done', 'done'])
  expect(await story.tokensOf(to, mint)).toMatchObject([{ amount: 100n }])
  // The rent of an account that its maker may close is not collected.
  const left = () => story.tokensOf(deposit, mint)
  await until(async () => (await left()).length === 1, STORY_TIMEOUT_MS / 2)
  expect(await left()).toEqual([{ account: other, amount: 0n }])
  await until(async () => {
    const { transfers } = (await operator('transfer', 'list')).body
    const rents = transfers.filter((one: { kind: string; asset: string }) => one.kind === 'rent' && one.asset === mint)
    return rents.length === 2 && rents.every(({ status }: { status: string }) => status === 'done')
  }, STORY_TIMEOUT_MS / 2)
  expect(await operator('audit', '--network', 'live')).toMatchObject(cleanAudit)
})

/** Sends wrapped SOL, which is a token, to an address. */
async function wrapSol(to: Address, lamports: bigint): Promise<Address> {
  const { wallet } = story
  const mint = address(WRAPPED_SOL_MINT)
  const account = associatedTokenAddress(to, mint, TOKEN_PROGRAM_ADDRESS)
  await sendTransaction(story.facts.rpc_url, wallet, [
    await getCreateAssociatedTokenIdempotentInstructionAsync({
      payer: wallet,
      owner: to,
      mint,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    }),
    getTransferSolInstruction({ source: wallet, destination: account, amount: lamports }),
    getSyncNativeInstruction({ account }),
  ])
  return mint
}

it.each([
  ['a token of a stranger, with a fee and a permanent delegate', mintSpam, 10_000n, 9_900n],
  ['wrapped SOL', wrapSol, 7_000_000n, 7_000_000n],
] as const)(
  '%s goes once to the wallet that the operator names, and changes nothing else',
  async (_, send, sent, got) => {
    const { index, deposit } = await openIntent(story, 'SOL')
    const mint = await send(address(deposit), sent)
    const to = (await generateKeyPairSigner()).address
    const order = ['held', 'release', String(index), '--asset', mint, '--to', to, '--reason', 'Sent by mistake.']
    const release = () => operator(...order)
    // The balance has to be final.
    let ordered = await release()
    await until(async () => {
      if (ordered.code !== 0) ordered = await release()
      return ordered.code === 0
    }, STORY_TIMEOUT_MS / 2)
    const { transfer_id: id } = ordered.body.releases[0]
    expect(ordered.body.releases).toMatchObject([{ to, asset: mint, amount: Number(sent), reason: 'Sent by mistake.' }])
    await until(async () => {
      const { releases } = (await operator('held', 'releases')).body
      return releases.find((one: { transfer_id: string }) => one.transfer_id === id).status === 'done'
    }, STORY_TIMEOUT_MS / 2)

    expect(await story.tokensOf(to, mint)).toMatchObject([{ amount: got }])
    expect(await story.tokensOf(deposit, mint)).toMatchObject([{ amount: 0n }])
    const again = await release()
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('nothing of this asset is held')])
    const { status, held } = (await story.rest('GET', `/status?index=${index}`, { key: story.facts.api_key })).body
    expect([status, held]).toEqual(['pending', undefined])
    expect(await operator('audit', '--network', 'live')).toMatchObject({ code: 0, body: { clean: true } })
  },
)
