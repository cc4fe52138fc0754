// Money of an unknown sender, and tokens that are not allowed, on a real Solana runtime: shown, and released by the operator's
// command.
import { type Address, address, generateKeyPairSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getApproveCheckedInstruction,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getSyncNativeInstruction,
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
import * as extension from '../support/mint-extensions.ts'
import { openIntent, STORY_TIMEOUT_MS, type Story, startStory, untilStatus } from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
beforeAll(async () => {
  story = await startStory()
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
