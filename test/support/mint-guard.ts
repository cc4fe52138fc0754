import type { MintGuard } from '#services/tokens/mint-guard.ts'

/** The guard of mints that never change. */
export const UNCHANGED_MINTS: MintGuard = {
  problemOf: async () => null,
  requireUsable: async () => {},
  holdOf: async () => null,
}
