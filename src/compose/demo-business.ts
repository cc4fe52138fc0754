// Prepares the service for trying it: allowed tokens, a demo business, and its keys.
import { generateKeyPairSigner } from '@solana/kit'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { NETWORKS, SOL } from '#core/chain/types.ts'
import type { DemoMint, DemoMints } from '#sandbox/chain/demo-chain.ts'
import { type DemoFacts, readDemoFacts, writeDemoFacts } from '#sandbox/demo-facts.ts'
import type { Services } from '#services/services.ts'

/** The demo token of Token-2022 is like a regulated dollar. */
export const DEMO_CONSENT = [
  'mint-close-authority',
  'permanent-delegate',
  'transfer-fee-config',
  'confidential-transfer-mint',
  'confidential-transfer-fee-config',
  'transfer-hook',
]

/** The embedded chain, and the tokens that were made on it. */
export type DemoChain = { readonly rpcUrl: string; readonly mints: DemoMints }

/** Makes what is missing; it can be repeated. The keys of the demo business are kept in the data directory. */
export async function prepareDemo(options: {
  dataDir: string
  baseUrl: string
  operatorUrl: string
  chain: DemoChain
  services: { accounts: Pick<Services['accounts'], 'create'>; tokens: Pick<Services['tokens'], 'list' | 'allow'> }
}): Promise<DemoFacts> {
  const { dataDir, baseUrl, operatorUrl, chain, services } = options
  const { rpcUrl, mints } = chain
  const tokens = [mints.usd, mints.token2022]
  await allowTokens(services.tokens, tokens)
  const kept = await readDemoFacts(dataDir)
  const account = kept === null ? await openDemoAccount(services.accounts) : keysOf(kept)
  const facts: DemoFacts = {
    ...account,
    base_url: baseUrl,
    operator_url: operatorUrl,
    rpc_url: rpcUrl,
    tokens: tokens.map(({ ticker, mint, tokenProgram, decimals }) => ({
      ticker,
      mint,
      token_program: tokenProgram,
      decimals,
    })),
  }
  await writeDemoFacts(dataDir, facts)
  return facts
}

const DEMO_OWNER = 'Demo owner'

/**
 * Returns where the dashboard of the demo business begins: a link for its owner that works once, until a member has logged in. An earlier
 * link of the owner stops; those of other members stay.
 */
export async function demoDashboard(
  {
    keys,
    members,
  }: { keys: Pick<Services['keys'], 'operatorOf'>; members: Pick<Services['members'], 'list' | 'invite' | 'addLink'> },
  { account_id: accountId, base_url: baseUrl }: DemoFacts,
): Promise<string> {
  const manager = await keys.operatorOf(accountId, SERVICE_ACTOR)
  const known = await members.list(manager.tenant)
  if (known.some(({ logins }) => logins.length > 0)) return `${baseUrl}/dashboard`
  const owner = known.find(({ name }) => name === DEMO_OWNER)
  const link = await (owner === undefined
    ? members.invite(manager, { name: DEMO_OWNER, email: null, role: 'owner' })
    : members.addLink(manager, owner.id))
  return link.url
}

type DemoKeys = Pick<DemoFacts, 'account_id' | 'api_key' | 'webhook_secret'>

const keysOf = ({ account_id, api_key, webhook_secret }: DemoFacts): DemoKeys => ({
  account_id,
  api_key,
  webhook_secret,
})

async function allowTokens(
  tokens: Pick<Services['tokens'], 'list' | 'allow'>,
  mints: readonly DemoMint[],
): Promise<void> {
  const known = new Set((await tokens.list()).map(({ network, asset }) => `${network} ${asset}`))
  for (const network of NETWORKS) {
    const wanted = [{ mint: SOL, name: 'Solana', ticker: 'SOL' } as const, ...mints]
    for (const { mint: asset, name, ticker } of wanted) {
      // A token that the operator disallowed stays disallowed.
      if (known.has(`${network} ${asset}`)) continue
      await tokens.allow({ network, asset, name, ticker, feedKey: null, consent: DEMO_CONSENT })
    }
  }
}

async function openDemoAccount(accounts: Pick<Services['accounts'], 'create'>): Promise<DemoKeys> {
  const wallet = await generateKeyPairSigner()
  const { account, apiKey, webhookSecret } = await accounts.create(
    { name: 'Demo Shop', network: 'live', label: null, sweepDestination: wallet.address, webhookUrl: null },
    SERVICE_ACTOR,
  )
  return { account_id: account.id, api_key: apiKey, webhook_secret: webhookSecret }
}
