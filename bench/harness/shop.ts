// A business to measure with: its key, what it accepts, and where its events go. Written straight into the
// database, because a measurement has no chain to judge tokens by.
import { randomBytes, randomUUID } from 'node:crypto'
import { getAddressDecoder } from '@solana/kit'
import { random } from '#adapters/node/random.ts'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'
import { createTestSecrets } from '../../test/support/keys.ts'

export type Shop = { readonly accountId: string; readonly apiKey: string; readonly mint: string }

const anyAddress = (): string => getAddressDecoder().decode(randomBytes(32))
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

/** Migrates the database and opens one live business in it; the allowlist is written with the first. */
export async function openShop(databaseUrl: string, { withTokens } = { withTokens: true }): Promise<Shop> {
  const db = await openDatabase({ kind: 'postgresql', url: databaseUrl, poolSize: 2 })
  try {
    await applyMigrations(db)
    return await writeShop(db, withTokens)
  } finally {
    await db.close()
  }
}

async function writeShop({ prisma }: Database, withTokens: boolean): Promise<Shop> {
  const id = randomUUID()
  const { secret: apiKey, hash } = createTestSecrets(random).apiKeyOf('live', id)
  const mint = anyAddress()
  const account = await prisma.account.create({
    data: {
      id: randomUUID(),
      network: 'live',
      name: 'Corner Shop',
      sweepDestination: anyAddress(),
      keys: {
        create: {
          id,
          name: 'Bench key',
          hash: Uint8Array.from(hash),
          hint: apiKey.slice(-4),
          scopes: ['payments'],
          createdBy: { kind: 'operator', credential: null },
        },
      },
    },
  })
  if (!withTokens) return { accountId: account.id, apiKey, mint }
  const token = { network: 'live' as const, extensions: [] }
  await prisma.token.createMany({
    data: [
      {
        ...token,
        asset: 'SOL',
        mint: anyAddress(),
        isNative: true,
        name: 'Solana',
        ticker: 'SOL',
        decimals: 9,
        feedKey: 'SOL',
      },
      {
        ...token,
        asset: mint,
        mint,
        isNative: false,
        name: 'USD Coin',
        ticker: 'USDC',
        decimals: 6,
        feedKey: 'USDC',
        tokenProgram: TOKEN_PROGRAM,
      },
    ],
  })
  return { accountId: account.id, apiKey, mint }
}
