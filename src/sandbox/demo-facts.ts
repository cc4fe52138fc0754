// The file by which `npm run demo` finds the service of `npm start`: addresses, and the keys of the demo business. Only its
// owner may read it.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const demoFacts = z.object({
  base_url: z.string(),
  /** Where the operator's API is. */
  operator_url: z.string(),
  rpc_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  webhook_secret: z.string(),
  tokens: z.array(
    z.object({ ticker: z.string(), mint: z.string(), token_program: z.string(), decimals: z.number().int() }),
  ),
})
export type DemoFacts = z.infer<typeof demoFacts>

const fileIn = (dataDir: string): string => join(dataDir, 'demo.json')

/** Replaces the file whole: a reader never sees a part of it. */
export async function writeDemoFacts(dataDir: string, facts: DemoFacts): Promise<void> {
  const partial = `${fileIn(dataDir)}.partial`
  await writeFile(partial, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  await rename(partial, fileIn(dataDir))
}

/** Returns null when the service was never started with this data directory and the embedded chain. */
export async function readDemoFacts(dataDir: string): Promise<DemoFacts | null> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => null)
  if (text === null) return null
  const read = demoFacts.safeParse(JSON.parse(text))
  return read.success ? read.data : null
}
