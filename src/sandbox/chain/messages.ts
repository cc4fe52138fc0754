// The messages between the process of the chain and the service.
import { z } from 'zod'

export const chainSettings = z.object({ dir: z.string(), slotTimeMs: z.number().int().positive() })
export type ChainSettings = z.output<typeof chainSettings>

export const toParent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), line: z.string() }),
  z.object({ kind: z.literal('ready'), rpcUrl: z.string(), wsUrl: z.string(), genesisHash: z.string() }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
])
export type ToParent = z.output<typeof toParent>

export const toChild = z.object({ kind: z.literal('stop') })
export type ToChild = z.output<typeof toChild>
